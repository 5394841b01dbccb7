/** A cell of a Markdown table: what would end it is escaped. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Text that Markdown shows as it is, but for code in it. */
export const plain = (text: string): string => cell(text.replace(/[\\*_<>[\]](?=(?:[^`]*`[^`]*`)*[^`]*$)/g, '\\$&'))

/** Text as code, whatever it holds. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return text === '' ? '' : `${fence}${cell(text)}${fence}`
}

/** A Markdown table. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')

export const byName = <T>(entries: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))
