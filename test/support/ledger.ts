import { isDeepStrictEqual } from 'node:util'
import type { AnyObject } from './any-object.ts'

/** `resourceVersion` undefined: not known. */
export type ObjectState = 'absent' | { readonly data: Record<string, string>; readonly resourceVersion?: string }

interface Account {
  /** Last acknowledged state. */
  state: ObjectState
  /** State after a write without a response, if it took effect. */
  doubt: ObjectState | undefined
}

/** A write that was acknowledged, as a watch has to show it. */
export interface Acknowledged {
  readonly name: string
  readonly type: 'ADDED' | 'MODIFIED'
  readonly resourceVersion: string
  readonly data: Record<string, string>
}

/** Records the responses of writes, to compare them with the stored objects. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = []
  readonly deleted: string[] = []
  /** Successful responses with wrong content. */
  readonly false: string[] = []
  readonly shared = new SharedLedger()
  readonly #accounts = new Map<string, Account>()

  get(name: string): ObjectState | undefined {
    return this.#accounts.get(name)?.state
  }

  acknowledge(name: string, type: 'ADDED' | 'MODIFIED', wanted: Record<string, string>, answer: AnyObject): void {
    const { resourceVersion } = answer.metadata
    if (!isDeepStrictEqual(answer.data, wanted) || resourceVersion === undefined)
      this.false.push(`${type} ${name}: wanted ${JSON.stringify(wanted)}, told ${JSON.stringify(answer)}`)
    this.#accounts.set(name, { state: { data: wanted, resourceVersion: resourceVersion ?? '' }, doubt: undefined })
    this.acknowledged.push({ name, type, resourceVersion: resourceVersion ?? '', data: wanted })
  }

  acknowledgeDelete(name: string): void {
    this.#accounts.set(name, { state: 'absent', doubt: undefined })
    this.deleted.push(name)
  }

  doubt(name: string, wanted: ObjectState): void {
    const account = this.#accounts.get(name)
    if (account === undefined) this.#accounts.set(name, { state: 'absent', doubt: wanted })
    else account.doubt = wanted
  }

  /** Returns the contradictions between the stored objects and the ledger, one per line. */
  contradictions(objects: readonly AnyObject[]): string[] {
    const found = new Map(objects.map(object => [object.metadata.name ?? '', object]))
    const wrong: string[] = []
    for (const [name, { state, doubt }] of this.#accounts) {
      const object = found.get(name)
      if (agrees(object, state) || (doubt !== undefined && agrees(object, doubt))) continue
      wrong.push(
        `${name}: told ${JSON.stringify(state)}, in doubt ${JSON.stringify(doubt)}, found ${JSON.stringify(object && { ...object, ...{} })}`,
      )
    }
    return wrong
  }
}

function agrees(object: AnyObject | undefined, state: ObjectState): boolean {
  if (state === 'absent' || object === undefined) return state === 'absent' && object === undefined
  return (
    isDeepStrictEqual(object.data, state.data) &&
    (state.resourceVersion === undefined || state.resourceVersion === object.metadata.resourceVersion)
  )
}

/** The object that all writers patch: each has a key of its own, whose numbers only grow. */
class SharedLedger {
  readonly #told = new Map<string, number>()
  readonly #doubted = new Map<string, number[]>()

  acknowledge(key: string, value: number): void {
    this.#told.set(key, value)
    this.#doubted.delete(key)
  }

  doubt(key: string, value: number): void {
    this.#doubted.set(key, [...(this.#doubted.get(key) ?? []), value])
  }

  contradictions(data: Record<string, string>): string[] {
    const wrong: string[] = []
    for (const key of new Set([...this.#told.keys(), ...this.#doubted.keys()])) {
      const value = data[key] === undefined ? undefined : Number(data[key])
      if (value === this.#told.get(key) || (value !== undefined && this.#doubted.get(key)?.includes(value))) continue
      wrong.push(`shared ${key}: told ${this.#told.get(key)}, in doubt ${this.#doubted.get(key)?.join(' ')}, found ${value}`)
    }
    return wrong
  }
}
