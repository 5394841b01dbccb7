/** A path to a field as error messages print it: `spec.ports[0].name`, `metadata.labels[a.b/c]`. Immutable. */
export class FieldPath {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  child(...names: string[]): FieldPath {
    let text = this.text
    for (const name of names) text = text === '' ? name : `${text}.${name}`
    return new FieldPath(text)
  }

  index(i: number): FieldPath {
    return new FieldPath(`${this.text}[${i}]`)
  }

  key(key: string): FieldPath {
    return new FieldPath(`${this.text}[${key}]`)
  }

  toString(): string {
    return this.text
  }
}

/** The path of the named top-level field; without a name, of the object itself. */
export const fieldPath = (...names: string[]): FieldPath => new FieldPath('').child(...names)
