/** A new file as a diff; null where it is empty. */
export function newFileDiff(content: string): string | null {
  const lines = content.replace(/\n$/, '').split('\n');
  return content && [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n');
}
