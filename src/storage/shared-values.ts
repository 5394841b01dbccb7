const GENERATION = 2048

/**
 * Interns values by their text, so that a million objects share few of them. Two generations of entries let unused ones
 * expire.
 */
export class SharedValues<V> {
  #young = new Map<string, V>()
  #old = new Map<string, V>()
  readonly #make: (text: string) => V

  constructor(make: (text: string) => V) {
    this.#make = make
  }

  of(text: string): V {
    let value = this.#young.get(text)
    if (value === undefined) {
      value = this.#old.get(text) ?? this.#make(text)
      if (this.#young.size >= GENERATION) {
        this.#old = this.#young
        this.#young = new Map()
      }
      this.#young.set(text, value)
    }
    return value
  }
}
