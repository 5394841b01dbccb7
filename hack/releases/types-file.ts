import { type FieldSyntax, fieldKey, parseField, parseHeader } from '../../src/schema/idl-syntax.ts'
import { type FieldFacts, factsOfSyntax } from './field-facts.ts'

/** A declared type with its lines. */
export interface TypeBlock {
  readonly kind: 'type'
  readonly name: string
  /** Optional. `package.Type` that the type is like. */
  readonly like?: string
  /** First line. */
  readonly head: string
  /** Lines of fields without their indentation, and comments. */
  readonly lines: readonly string[]
}

/** Several types that are like those of another package: `types A B like apps`. */
interface TypeList {
  readonly kind: 'types'
  readonly names: readonly string[]
  readonly model: string
}

/** A line of another kind: an enum, a comment, an empty line. */
interface PlainLine {
  readonly kind: 'line'
  readonly text: string
}

type Item = TypeBlock | TypeList | PlainLine

/** Longest line of a list of types that is written. */
const WIDTH = 140

/** A file of declarations that can be edited and written back. Lines that are not edited stay as they are. */
export class TypesFile {
  readonly id: string
  /** Path below `src/api` without its ending: `core/v1`. */
  readonly path: string
  #items: Item[]

  constructor(path: string, text: string) {
    this.id = parseHeader(text)?.id ?? ''
    this.path = path
    this.#items = itemsOf(text)
  }

  /** Returns the text of the file. */
  text(): string {
    const lines = this.#items.flatMap(item => {
      if (item.kind === 'line') return [item.text]
      return item.kind === 'type'
        ? [item.head, ...item.lines.map(line => `  ${line}`)]
        : [`types ${item.names.join(' ')} like ${item.model}`]
    })
    const text = lines.join('\n').replace(/\n{3,}/g, '\n\n')
    return `${text.trimEnd()}\n`
  }

  /** Returns the names of all types, in the order of the file. */
  typeNames(): string[] {
    return this.#items.flatMap(item => (item.kind === 'type' ? [item.name] : item.kind === 'types' ? item.names : []))
  }

  /** Returns a type, also one of a list. */
  type(name: string): TypeBlock | undefined {
    for (const item of this.#items) {
      if (item.kind === 'type' && item.name === name) return item
      if (item.kind === 'types' && item.names.includes(name)) {
        const like = `${item.model}.${name}`
        return { kind: 'type', name, like, head: `type ${name} like ${like}`, lines: [] }
      }
    }
    return undefined
  }

  /** Replaces a type, or adds it before the first type with a greater name. */
  setType(block: TypeBlock): void {
    const at = this.#items.findIndex(item => item.kind === 'type' && item.name === block.name)
    if (at >= 0) {
      this.#items[at] = block
      return
    }
    this.#unlist(block.name)
    const next = this.#items.findIndex(item => item.kind === 'type' && item.name > block.name)
    const gap: PlainLine = { kind: 'line', text: '' }
    if (next < 0) this.#items.push(gap, block, gap)
    else this.#items.splice(next, 0, block, gap)
  }

  /** Adds types that repeat those of another package. */
  addLikes(names: readonly string[], model: string): void {
    const lists: Item[] = []
    for (let rest = [...names]; rest.length > 0; ) {
      let count = rest.length
      while (count > 1 && `types ${rest.slice(0, count).join(' ')} like ${model}`.length > WIDTH) count--
      lists.push({ kind: 'types', names: rest.slice(0, count), model })
      rest = rest.slice(count)
    }
    const gap: PlainLine = { kind: 'line', text: '' }
    const first = this.#items.findIndex(({ kind }) => kind === 'type')
    const last = this.#items.findLastIndex(({ kind }) => kind === 'types')
    if (last >= 0) this.#items.splice(last + 1, 0, ...lists)
    else if (first >= 0) this.#items.splice(first, 0, ...lists, gap)
    else this.#items.push(gap, ...lists)
  }

  removeType(name: string): void {
    this.#items = this.#items.filter(item => item.kind !== 'type' || item.name !== name)
    this.#unlist(name)
  }

  /** Returns the names of enums, strings and unions. */
  namedTypes(): string[] {
    return this.#items.flatMap(item => (item.kind === 'line' ? (NAMED.exec(item.text)?.[1] ?? []) : []))
  }

  /** Returns the line that declares an enum, a string or a union. */
  named(name: string): string | undefined {
    return this.#items.flatMap(item => (item.kind === 'line' && NAMED.exec(item.text)?.[1] === name ? [item.text] : []))[0]
  }

  /** Replaces or adds the line that declares an enum or a string. */
  setNamed(name: string, text: string): void {
    const line: PlainLine = { kind: 'line', text }
    const at = this.#items.findIndex(item => item.kind === 'line' && NAMED.exec(item.text)?.[1] === name)
    if (at >= 0) {
      this.#items[at] = line
      return
    }
    const last = this.#items.findLastIndex(item => item.kind === 'line' && NAMED.test(item.text))
    const header = this.#items.findIndex(item => item.kind === 'line' && item.text.startsWith('package '))
    if (last >= 0) this.#items.splice(last + 1, 0, line)
    else this.#items.splice(header + 1, 0, { kind: 'line', text: '' }, line, { kind: 'line', text: '' })
  }

  removeNamed(name: string): void {
    this.#items = this.#items.filter(item => item.kind !== 'line' || NAMED.exec(item.text)?.[1] !== name)
  }

  /** Applies a function to the lines of fields, enums and heads. A line for which it returns undefined is removed. */
  mapLines(map: (line: string) => string | undefined): void {
    this.#items = this.#items.flatMap((item): Item[] => {
      if (item.kind === 'types') return [item]
      if (item.kind === 'line') {
        const text = NAMED.test(item.text) ? map(item.text) : item.text
        return text === undefined ? [] : [{ kind: 'line', text }]
      }
      return [{ ...item, head: map(item.head) ?? item.head, lines: item.lines.flatMap(line => map(line) ?? []) }]
    })
  }

  #unlist(name: string): void {
    this.#items = this.#items.flatMap((item): Item[] => {
      if (item.kind !== 'types' || !item.names.includes(name)) return [item]
      const names = item.names.filter(each => each !== name)
      return names.length === 0 ? [] : [{ ...item, names }]
    })
  }
}

const NAMED = /^(?:enum|string|union) (\w+)/

function itemsOf(text: string): Item[] {
  const items: Item[] = []
  for (const line of text.trimEnd().split('\n')) {
    const [first, name = '', like, model, ...more] = line.split(' ')
    const last = items.at(-1)
    if (line.startsWith('  ') && last?.kind === 'type') items[items.length - 1] = { ...last, lines: [...last.lines, line.slice(2)] }
    else if (first === 'type')
      items.push({ kind: 'type', name, ...(like === 'like' && model !== undefined && { like: model }), head: line, lines: [] })
    else if (first === 'types')
      items.push({ kind: 'types', names: line.split(' ').slice(1, -2), model: [name, like, model, ...more].at(-1) ?? '' })
    else items.push({ kind: 'line', text: line })
  }
  return items
}

/** A line of a field, parsed. */
export interface FieldLineSyntax {
  readonly text: string
  readonly key: string
  readonly syntax: FieldSyntax
  readonly facts: FieldFacts
}

/** Parses the lines of fields. Comments and malformed lines are left out. */
export const parseFieldLines = (lines: readonly string[]): FieldLineSyntax[] =>
  lines.flatMap(text => {
    const syntax = text.startsWith('//') ? undefined : parseField({ text, line: 0 }, () => undefined)
    return syntax === undefined ? [] : [{ text, key: fieldKey(syntax), syntax, facts: factsOfSyntax(syntax) }]
  })

/** Files of declarations by the names of their packages. */
export class TypesFiles {
  readonly #byId = new Map<string, TypesFile>()

  constructor(files: readonly TypesFile[]) {
    for (const file of files) this.#byId.set(file.id, file)
  }

  add(file: TypesFile): void {
    this.#byId.set(file.id, file)
  }

  remove(id: string): void {
    this.#byId.delete(id)
  }

  all(): TypesFile[] {
    return [...this.#byId.values()]
  }

  byId(id: string): TypesFile | undefined {
    return this.#byId.get(id)
  }

  byPath(path: string): TypesFile | undefined {
    return this.all().find(file => file.path === path)
  }

  /**
   * Returns the lines of a type's fields with those of the type that it is like, in the order in which they are
   * declared.
   */
  linesOf(file: TypesFile, name: string): string[] {
    const block = file.type(name)
    if (block === undefined) return []
    const { model, modelName } = this.modelOf(block)
    if (model === undefined) return [...block.lines]
    const lines = new Map<string, string[]>()
    for (const [key, own] of [...grouped(this.linesOf(model, modelName)), ...grouped(block.lines)]) lines.set(key, own)
    return [...lines.values()].flat()
  }

  /** Returns the first line of a type with the marks of the type that it is like. */
  marksOf(file: TypesFile, name: string): string[] {
    const block = file.type(name)
    if (block === undefined) return []
    const words = block.head.split(' ').slice(block.like === undefined ? 2 : 4)
    const { model, modelName } = this.modelOf(block)
    return model === undefined ? words : [...this.marksOf(model, modelName), ...words]
  }

  /** Returns the file and the name of the type after `like`. */
  modelOf({ like = '' }: TypeBlock): { model: TypesFile | undefined; modelName: string } {
    const [id = '', modelName = ''] = like.split('.')
    return { model: this.#byId.get(id), modelName }
  }
}

/** Groups lines by the field that they declare. */
export function grouped(lines: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { key, text } of parseFieldLines(lines)) groups.set(key, [...(groups.get(key) ?? []), text])
  return groups
}
