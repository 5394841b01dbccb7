type Step = 'text' | 'child' | 'index' | 'key'

/**
 * A path to a field as error messages print it: `spec.ports[0].name`, `metadata.labels[a.b/c]`. Immutable. The text is made when it is first asked for: validation walks many more paths
 * than it complains of.
 */
export class FieldPath {
  private readonly parent: FieldPath | undefined
  private readonly step: Step
  private readonly name: string | number
  private made: string | undefined

  constructor(name: string | number, step: Step = 'text', parent?: FieldPath) {
    this.name = name
    this.step = step
    this.parent = parent
  }

  get text(): string {
    this.made ??= this.print()
    return this.made
  }

  private print(): string {
    const before = this.parent?.text ?? ''
    if (this.step === 'text') return String(this.name)
    if (this.step !== 'child') return `${before}[${this.name}]`
    return before === '' ? String(this.name) : `${before}.${this.name}`
  }

  child(...names: string[]): FieldPath {
    let path: FieldPath = this
    for (const name of names) path = new FieldPath(name, 'child', path)
    return path
  }

  index(i: number): FieldPath {
    return new FieldPath(i, 'index', this)
  }

  key(key: string): FieldPath {
    return new FieldPath(key, 'key', this)
  }

  toString(): string {
    return this.text
  }
}

/** The path of the named top-level field; without a name, of the object itself. */
export const fieldPath = (...names: string[]): FieldPath => new FieldPath('').child(...names)
