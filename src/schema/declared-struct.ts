import type { Field, Inline, StructSchema } from './schema.ts'
import { TYPED } from './typed-form.ts'

/** What a struct has. */
export interface StructMembers {
  readonly fields: ReadonlyMap<string, Field>
  readonly inlines: readonly Inline[]
}

/** What is known of a declared struct before its members are read. */
export type StructHead = Omit<StructSchema, 'type' | 'form' | keyof StructMembers>

/** A declared struct, whose members are read when they are first asked for: of the types that a server declares, a start looks into few. */
export class DeclaredStruct implements StructSchema {
  readonly type = 'struct'
  readonly form = TYPED
  declare readonly name: string
  declare readonly typeMeta: boolean
  readonly #read: () => StructMembers
  #members: StructMembers | undefined

  /** @param read is called once; it may throw what is wrong with the declaration, and is called again then. */
  constructor(head: StructHead, read: () => StructMembers) {
    Object.assign(this, head)
    this.#read = read
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#members ??= this.#read()
    return this.#members.fields
  }

  get inlines(): readonly Inline[] {
    this.#members ??= this.#read()
    return this.#members.inlines
  }
}
