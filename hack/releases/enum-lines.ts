const WORDS = /(?:"[^"]*"|[^\s"])+/g

const quoted = (value: string): string => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value))

/** Returns the value of a word of an enum: `None` of `None@-1.31`. */
const wordValue = (word: string): string => word.replace(/@-?1\.\d+$/, '').replace(/^"(.*)"$/, '$1')

/**
 * Adds the values of a release to the line of an enum, in alphabetical order, and marks those that are gone.
 *
 * @param release undefined if the whole enum is new
 */
export function withValues(
  line: string,
  before: readonly string[],
  after: readonly string[],
  release: string | undefined,
  note: (text: string) => void = () => undefined,
): string {
  const [kind = '', name = '', ...words] = line.match(WORDS) ?? []
  const mark = release === undefined ? '' : `@${release}`
  const known = words.map(wordValue)
  for (const value of after.filter(each => !before.includes(each) && !known.includes(each))) {
    const at = words.findIndex(word => wordValue(word) > value)
    words.splice(at < 0 ? words.length : at, 0, `${quoted(value)}${mark}`)
  }
  for (const value of before.filter(each => !after.includes(each))) {
    const at = words.findIndex(word => wordValue(word) === value)
    const word = words[at]
    if (word === undefined) continue
    if (word.includes('@')) note(`the value ${value} is gone`)
    else words[at] = `${word}@-${release}`
  }
  return [kind, name, ...words].join(' ')
}
