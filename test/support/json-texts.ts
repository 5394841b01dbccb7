type Random = () => number

/**
 * Characters that names differ in. Some are escaped, some are those of our own codes for names, and some are halves of
 * surrogate pairs.
 */
const CHARACTERS = [
  '\\',
  '"',
  '\n',
  '\t',
  '\u0001',
  '\u001f',
  '/',
  'é',
  '\u2028',
  '\ue000',
  '\ue000005c',
  '\ud83d\ude00',
  '\ud800',
  'n',
  'u005c',
  ':',
  '{',
  '}',
  ',',
  ' ',
  '',
]
const PLAIN_NAMES = [
  'a',
  'name',
  'f:metadata',
  '.',
  '',
  '0',
  '10',
  '4294967295',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  'length',
  'x'.repeat(40),
]
const SCALARS = ['null', 'true', 'false', '0', '-1', '1.5', '12345678', '""', '"\\\\"', '"\\":{"', '"k:{\\"name\\":\\"x\\"}"', '[]', '{}']
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}
const SPACES = ['', '', '', ' ', '\n  ', '\t']

/** Objects of one shape: the names before the one that differs, and the number of names after it. */
interface Shape {
  readonly before: readonly string[]
  readonly after: number
}

/**
 * Creates JSON texts in groups. The objects of a group have the same names but for one, which differs in one character.
 * Some groups have a name that is the beginning of another one's source, which an engine that compares names with the
 * source takes for the other name.
 */
export class JsonTexts {
  readonly #random: Random
  #groups = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Returns the texts of a group. Some are not JSON. */
  group(): string[] {
    const names = this.#names()
    const shape: Shape = {
      before: [...(this.#chance(0.8) ? [`g${this.#groups++}`] : []), ...this.#some(3, () => this.#pick(PLAIN_NAMES))],
      after: Math.floor(this.#random() * 5),
    }
    return this.#some(6, () => this.#text(shape, names), 2)
  }

  #text(shape: Shape, names: readonly string[]): string {
    let text = this.#object(shape, names, 0)
    if (this.#chance(0.2)) text = `[${this.#some(5, () => this.#object(shape, names, 0), 1).join(',')}]`
    if (this.#chance(0.004)) text = `[${Array.from({ length: 600 }, () => this.#object(shape, names, 3)).join(',')}]`
    if (this.#chance(0.02)) text = `${'[{"deep":'.repeat(300)}${text}${'}]'.repeat(300)}`
    if (this.#chance(0.05)) text = this.#broken(text)
    return text
  }

  #object(shape: Shape, names: readonly string[], depth: number): string {
    const own = [...shape.before, this.#pick(names), ...Array.from({ length: shape.after }, (_, i) => `y${i}`)]
    if (this.#chance(0.1)) own.push(this.#pick(names), this.#pick(own))
    const members = own.map(name => {
      const value = depth < 3 && this.#chance(0.2) ? this.#value(shape, names, depth) : this.#pick(SCALARS)
      return `${this.#space()}${this.#source(name)}${this.#space()}:${this.#space()}${value}`
    })
    return `{${members.join(',')}${this.#space()}}`
  }

  #value(shape: Shape, names: readonly string[], depth: number): string {
    const object = this.#object(shape, names, depth + 1)
    return this.#chance(0.5) ? object : `[${object},${this.#object(shape, names, depth + 1)}]`
  }

  /** Returns names that differ in one character, and beginnings of their sources. */
  #names(): string[] {
    const [head, tail] = [this.#part(), this.#part()]
    const names = this.#some(4, () => `${head}${this.#pick(CHARACTERS)}${tail}`, 2)
    const [first = ''] = names
    const source = this.#source(first)
    // As long as the name itself, without the opening quote.
    return source.includes('\\') && this.#chance(0.7) ? [...names, source.slice(1, 1 + first.length)] : names
  }

  #part(): string {
    return this.#chance(0.4)
      ? ''
      : this.#chance(0.5)
        ? this.#pick(['k:{', 'name', '":"', 'é', '}'])
        : this.#some(3, () => this.#pick(CHARACTERS)).join('')
  }

  /** Writes a string in one of its spellings. */
  #source(name: string): string {
    const style = this.#random()
    let source = ''
    for (const unit of name.split('')) {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
      if (style > 0.8 && this.#chance(0.5)) source += `\\u${this.#chance(0.5) ? hex : hex.toUpperCase()}`
      else if (unit === '/' && style < 0.5) source += unit
      else source += SHORT_ESCAPES[unit] ?? (unit < ' ' ? `\\u${hex}` : unit)
    }
    return `"${source}"`
  }

  #broken(text: string): string {
    const at = Math.floor(this.#random() * text.length)
    return `${text.slice(0, at)}${this.#pick(['', '"', '\\', '\n', ',', '}', '\\x'])}${text.slice(at + Math.floor(this.#random() * 2))}`
  }

  #space(): string {
    return this.#pick(SPACES)
  }

  #chance(share: number): boolean {
    return this.#random() < share
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T
  }

  #some<T>(most: number, make: () => T, least = 0): T[] {
    return Array.from({ length: least + Math.floor(this.#random() * (most - least + 1)) }, make)
  }
}
