import type { Field, Inline, StructSchema } from './schema.ts'
import { TYPED } from './typed-form.ts'

/** Members of a struct. */
export interface StructMembers {
  /** JSON members by name in output order, including inlined ones. */
  readonly fields: ReadonlyMap<string, Field>
  /** Messages whose members are among `fields`. */
  readonly inlines: readonly Inline[]
}

/** Properties of a declared struct that do not require reading its members. */
export type StructHead = Omit<StructSchema, 'type' | 'form' | keyof StructMembers>

/** A declared struct whose members are read on first access. A server uses few of its declared types at start. */
export class DeclaredStruct implements StructSchema {
  readonly type = 'struct'
  readonly form = TYPED
  declare readonly name: string
  declare readonly typeMeta: boolean
  readonly #read: () => StructMembers
  #members: StructMembers | undefined

  /** @param read called once; if it throws because the declaration is invalid, it is called again on the next access */
  constructor(head: StructHead, read: () => StructMembers) {
    Object.assign(this, head)
    this.#read = read
  }

  /** Reads the declaration on first access. Throws if it is invalid. */
  get fields(): ReadonlyMap<string, Field> {
    this.#members ??= this.#read()
    return this.#members.fields
  }

  get inlines(): readonly Inline[] {
    this.#members ??= this.#read()
    return this.#members.inlines
  }
}
