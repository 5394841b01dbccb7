/** Notation of a step: as it is, `.name`, `[0]` or `[key]`. */
type FieldStep = 'text' | 'child' | 'index' | 'key'

/**
 * Path to a field, as error messages print it: `spec.ports[0].name`, `metadata.labels[a.b/c]`. Immutable. The text is
 * created on first use, because validation visits many more paths than it reports.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined
  readonly #step: FieldStep
  readonly #name: string | number
  #made: string | undefined

  constructor(name: string | number, step: FieldStep = 'text', parent?: FieldPath) {
    this.#name = name
    this.#step = step
    this.#parent = parent
  }

  /** The path as messages print it. Empty for the object itself. */
  get text(): string {
    this.#made ??= this.#print()
    return this.#made
  }

  #print(): string {
    const before = this.#parent?.text ?? ''
    if (this.#step === 'text') return String(this.#name)
    if (this.#step !== 'child') return `${before}[${this.#name}]`
    return before === '' ? String(this.#name) : `${before}.${this.#name}`
  }

  /** Returns the path of a member, or of a member of a member. */
  child(...names: string[]): FieldPath {
    let path: FieldPath = this
    for (const name of names) path = new FieldPath(name, 'child', path)
    return path
  }

  /** Returns the path of a list item. */
  index(i: number): FieldPath {
    return new FieldPath(i, 'index', this)
  }

  /** Returns the path of a map value. */
  key(key: string): FieldPath {
    return new FieldPath(key, 'key', this)
  }

  toString(): string {
    return this.text
  }
}

/** Returns the path of a top-level field and the given members of it, or of the object itself without arguments. */
export const fieldPath = (...names: string[]): FieldPath => new FieldPath('').child(...names)
