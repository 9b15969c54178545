/** `1.5 MB`; powers of 1000. */
export function shortBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let step = 0;
  // By what is printed: 999,999 bytes would be 1000.0 kB.
  while (step < units.length - 1 && Number(value.toFixed(1)) >= 1000) {
    value /= 1000;
    step += 1;
  }
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}
