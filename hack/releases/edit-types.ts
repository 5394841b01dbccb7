import { isScalar } from '../types/declarations.ts'
import { withValues } from './enum-lines.ts'
import { fieldText } from './field-facts.ts'
import type { GoStruct, GoTypes } from './go-structs.ts'
import { structHead } from './go-structs.ts'
import { changeOf, editedLines, type FieldChange, type StructChange, sameChange } from './struct-changes.ts'
import { grouped, parseFieldLines, type TypeBlock, type TypesFile, type TypesFiles } from './types-file.ts'

/** Types of a package in two releases, by its path: `core/v1`. */
export interface PackageChange {
  readonly path: string
  readonly before: GoTypes | undefined
  readonly after: GoTypes | undefined
}

/** A field or type that a person has to look at. */
export type Note = (text: string) => void

const COLLECTIONS = /^(?:\[\]\*?|map\[string\])*/

/** Declares what a release changes in the types of packages. @param release `1.38` */
export class TypesEditor {
  readonly #files: TypesFiles
  readonly #changes: ReadonlyMap<string, PackageChange>
  readonly #release: string
  readonly #note: Note

  constructor(files: TypesFiles, changes: readonly PackageChange[], release: string, note: Note) {
    this.#files = files
    this.#changes = new Map(changes.map(change => [change.path, change]))
    this.#release = release
    this.#note = note
  }

  run(): void {
    const blocks = this.#files.all().flatMap(file => this.#editedBlocks(file).map(block => ({ file, block })))
    for (const { file, block } of blocks) file.setType(block)
    for (const { path, before, after } of this.#changes.values()) {
      const file = this.#files.byPath(path)
      if (file === undefined || after === undefined) continue
      this.#editNamed(file, before, after)
      const fresh = [...after.structs.keys()].filter(name => before?.structs.has(name) !== true && file.type(name) === undefined)
      this.#declare(file, after, fresh)
    }
    for (const { path, after } of this.#changes.values()) {
      const file = this.#files.byPath(path)
      if (file && after) this.#declareMissing(file, after)
    }
  }

  /** Returns the blocks of a file that change. Types that are like others are compared with the change of those. */
  #editedBlocks(file: TypesFile): TypeBlock[] {
    return file.typeNames().flatMap(name => {
      const block = file.type(name)
      const after = this.#changes.get(file.path)?.after?.structs.get(name)
      if (block === undefined || after === undefined) return []
      const edited = this.#edited(file, block, after)
      return edited === undefined ? [] : [edited]
    })
  }

  #edited(file: TypesFile, block: TypeBlock, after: GoStruct): TypeBlock | undefined {
    const change = this.#changeOf(file, block.name)
    const { model, modelName } = this.#files.modelOf(block)
    const modelChange = model && this.#changeOf(model, modelName)
    const head = this.#headOf(file, block, after)
    const own = grouped(block.lines)
    const inherited = model ? grouped(this.#files.linesOf(model, modelName)) : undefined
    const keys = [...new Set([...(change?.keys() ?? []), ...(modelChange?.keys() ?? [])])]
    const differing = keys.filter(key => own.has(key) || !sameChange(change?.get(key), modelChange?.get(key)))
    const isExpanded = inherited !== undefined && differing.some(key => !own.has(key) && !inherited.has(key))
    if (inherited === undefined || isExpanded) {
      const lines = isExpanded ? this.#files.linesOf(file, block.name).map(line => this.#qualified(file, block, line)) : block.lines
      const edited = this.#editedFields(file, block.name, lines, change ?? new Map())
      const plain = isExpanded
        ? { ...block, like: '', head: ['type', block.name, ...this.#files.marksOf(file, block.name)].join(' ') }
        : block
      if (!isExpanded && edited.join() === block.lines.join() && head === block.head) return undefined
      return { ...plain, head: isExpanded ? plain.head : head, lines: edited }
    }
    if (differing.length === 0 && head === block.head) return undefined
    const lines = new Map(own)
    for (const key of differing) {
      const was = own.get(key) ?? (inherited.get(key) ?? []).map(line => this.#qualified(file, block, line))
      const fieldChange = change?.get(key)
      lines.set(key, fieldChange === undefined ? [...was] : this.#edit(file, block.name, key, was, fieldChange))
    }
    const edited = [...lines.values()].flat()
    return edited.join() === block.lines.join() && head === block.head ? undefined : { ...block, head, lines: edited }
  }

  /**
   * Returns a line of the type that a block is like, as the file of the block writes it: names of the other package
   * have their package.
   */
  #qualified(file: TypesFile, block: TypeBlock, line: string): string {
    const [found] = parseFieldLines([line])
    if (found === undefined) return line
    const name = found.facts.type.replace(COLLECTIONS, '')
    const declares = (each: TypesFile): boolean => each.type(name) !== undefined || each.named(name) !== undefined
    if (name.includes('.') || isScalar(name) || declares(file)) return line
    for (let { model, modelName } = this.#files.modelOf(block); model !== undefined; ) {
      if (declares(model)) return fieldText({ ...found.facts, type: found.facts.type.replace(name, `${model.id}.${name}`) })
      ;({ model, modelName } = this.#files.modelOf(model.type(modelName) ?? block))
    }
    return line
  }

  /** Returns how a type changes, or undefined if the modules do not have it. */
  #changeOf(file: TypesFile, name: string): StructChange | undefined {
    const { before, after } = this.#changes.get(file.path) ?? {}
    const next = after?.structs.get(name)
    if (next === undefined) return undefined
    const declared = this.#declaredFacts(file, name)
    const old = before?.structs.get(name) ?? { fields: declared }
    return new Map([...this.#newEnums(file, declared, next), ...changeOf(old, next)])
  }

  /** Returns changes of fields that are declared as plain strings, and whose type has values since the release. */
  #newEnums(file: TypesFile, declared: GoStruct['fields'], { fields }: GoStruct): StructChange {
    const { before, after } = this.#changes.get(file.path) ?? {}
    const changes = new Map<string, FieldChange>()
    for (const field of fields) {
      const type = field.type.replace(COLLECTIONS, '')
      const plain = field.type.replace(type, 'string')
      if (before?.strings.has(type) !== true || after?.enums.has(type) !== true) continue
      if (declared.some(each => each.name === field.name && each.type === plain))
        changes.set(field.name, { kind: 'changed', before: { ...field, type: plain }, after: field })
    }
    return changes
  }

  /** Returns the fields that the newest release has by the declarations. */
  #declaredFacts(file: TypesFile, name: string): GoStruct['fields'] {
    const newest = parseFieldLines(this.#files.linesOf(file, name)).filter(
      ({ facts }) => !facts.marks.some(mark => mark.startsWith('until(')),
    )
    return newest.map(({ facts }) => ({
      ...facts,
      marks: facts.marks.filter(mark => !mark.startsWith('since(')).map(mark => mark.replace(/@1\.\d+$/, '')),
    }))
  }

  #editedFields(file: TypesFile, name: string, lines: readonly string[], change: StructChange): string[] {
    const fields = grouped(lines)
    const edited = [...lines]
    for (const [key, each] of change) {
      const was = fields.get(key) ?? []
      const now = this.#edit(file, name, key, was, each)
      if (now.join('\n') === was.join('\n')) continue
      const at = was.length > 0 ? edited.indexOf(was[0] ?? '') : this.#placeAfter(edited, each)
      edited.splice(at, was.length, ...now)
    }
    return edited
  }

  /** Returns the index at which an added field is inserted: after the field that precedes it in Go. */
  #placeAfter(lines: readonly string[], change: FieldChange): number {
    const follows = change.kind === 'added' ? change.follows : undefined
    if (follows === undefined) return 0
    const at = lines.findLastIndex(line => parseFieldLines([line])[0]?.key === follows)
    return at < 0 ? lines.length : at + 1
  }

  #edit(file: TypesFile, name: string, key: string, lines: readonly string[], change: FieldChange): string[] {
    const { lines: edited, note } = editedLines(lines, change, this.#release)
    const what = `${file.path} ${name}.${key}`
    if (note !== undefined) this.#note(`${what}: ${note}`)
    if (change.kind === 'changed') {
      const { before, after } = change
      for (const mark of before.marks)
        if (mark.startsWith('gate(') && !after.marks.includes(mark)) this.#note(`${what}: ${mark} is no longer stated, and was kept`)
    }
    return [...edited]
  }

  #headOf(file: TypesFile, block: TypeBlock, after: GoStruct): string {
    const before = this.#changes.get(file.path)?.before?.structs.get(block.name)
    if (before === undefined) return block.head
    const stated = this.#files.marksOf(file, block.name).map(mark => mark.replace(/@1\.\d+$/, ''))
    const added = after.marks.filter(mark => !before.marks.includes(mark) && !stated.includes(mark))
    for (const mark of before.marks) if (!after.marks.includes(mark)) this.#note(`${file.path} ${block.name}: the mark ${mark} is gone`)
    return [block.head, ...added.map(mark => (mark === 'typemeta' ? mark : `${mark}@${this.#release}`))].join(' ')
  }

  /** Edits the values of enums. */
  #editNamed(file: TypesFile, before: GoTypes | undefined, after: GoTypes): void {
    for (const [name, values] of after.enums) {
      const line = file.named(name)
      const old = before?.enums.get(name)
      if (line === undefined || old === undefined || old.join('\n') === values.join('\n')) continue
      if (line.startsWith('enum '))
        file.setNamed(
          name,
          withValues(line, old, values, this.#release, text => this.#note(`${file.path} ${name}: ${text}`)),
        )
      else this.#note(`${file.path} ${name} is declared as a string, and has the values ${values.join(', ')}`)
    }
  }

  /** Declares types that the release adds: like those of another version if they have the same fields, or in full. */
  #declare(file: TypesFile, after: GoTypes, names: readonly string[]): void {
    const likes = new Map<string, string[]>()
    for (const name of [...names].sort()) {
      const struct = after.structs.get(name)
      if (struct === undefined) continue
      const model = this.#sameType(file, struct)
      if (model === undefined) file.setType({ kind: 'type', name, head: structHead(struct), lines: struct.fields.map(fieldText) })
      else likes.set(model, [...(likes.get(model) ?? []), name])
    }
    for (const [model, found] of likes) file.addLikes(found, model)
  }

  /** Returns the package of another version that declares the same type. */
  #sameType(file: TypesFile, struct: GoStruct): string | undefined {
    const group = file.path.slice(0, file.path.indexOf('/') + 1)
    const texts = (each: GoStruct): string => [structHead(each), ...each.fields.map(fieldText)].join('\n')
    for (const other of this.#files.all()) {
      if (other === file || !other.path.startsWith(group) || other.type(struct.name) === undefined) continue
      const { before, after } = this.#changes.get(other.path) ?? {}
      const its = after?.structs.get(struct.name) ?? before?.structs.get(struct.name)
      const types = new Map(this.#declaredFacts(other, struct.name).map(({ name, type }) => [name, type]))
      const isDeclared = struct.fields.every(({ name, type }) => types.get(name) === type)
      if (its && isDeclared && texts(its) === texts(struct) && !this.#isLikeTypeOf(other, struct.name, file)) return other.id
    }
    return undefined
  }

  #isLikeTypeOf(other: TypesFile, name: string, file: TypesFile): boolean {
    const { model } = this.#files.modelOf(other.type(name) ?? { kind: 'type', name, head: '', lines: [] })
    return model === file
  }

  /** Declares types to which fields refer and which no file declares yet. */
  #declareMissing(file: TypesFile, after: GoTypes): void {
    for (let missing = this.#missingIn(file); missing.length > 0; missing = this.#missingIn(file)) {
      const structs = missing.filter(name => after.structs.has(name))
      for (const name of missing) {
        const values = after.enums.get(name)
        if (values) file.setNamed(name, withValues(`enum ${name}`, [], values, undefined))
        else if (after.strings.has(name)) file.setNamed(name, `string ${name}`)
        else if (!after.structs.has(name)) this.#note(`${file.path}: the type ${name} is not declared`)
      }
      this.#declare(file, after, structs)
      if (missing.every(name => !after.enums.has(name) && !after.strings.has(name) && !after.structs.has(name))) break
    }
  }

  #missingIn(file: TypesFile): string[] {
    const names = new Set<string>()
    for (const name of file.typeNames()) {
      const block = file.type(name)
      if (block === undefined) continue
      for (const { syntax } of parseFieldLines(block.lines)) {
        const type = syntax.type.replace(COLLECTIONS, '')
        if (!type.includes('.') && !isScalar(type) && file.type(type) === undefined && file.named(type) === undefined) names.add(type)
      }
    }
    return [...names].sort()
  }
}
