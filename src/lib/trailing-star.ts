/** Whether the pattern is the text, or its beginning with `*` behind. */
export const matchesTrailingStar = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text
