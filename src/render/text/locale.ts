type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a terminal shows UTF-8, by the first variable of the locale that is set; `unset` where none is. */
export function speaksUtf8(env: Environment, unset: boolean): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return locale ? /\.utf-?8/i.test(locale) : unset;
}
