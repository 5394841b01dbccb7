import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyObject } from '../support/any-object.ts'
import { certificateFacts } from './certificates.ts'
import type { Step } from './files.ts'
import { mismatch } from './match.ts'
import { memberAt, type References, UnsupportedStep } from './references.ts'
import { parseReference, type World } from './world.ts'

/** Time for a check to hold, in milliseconds. */
const CHECK_MS = 6000

/** Expected event, with a reference to the object that it is about. */
interface EventCheck {
  readonly on: string
  readonly [field: string]: unknown
}

/** The checks of a scenario. */
export class Checks {
  readonly #world: World
  readonly #references: References
  readonly #settle: () => Promise<void>

  /** @param settle resolves when the loops have settled. */
  constructor(world: World, references: References, settle: () => Promise<void>) {
    this.#world = world
    this.#references = references
    this.#settle = settle
  }

  /** Lets the loops settle, then checks until everything holds or the time is over. */
  async check(checks: readonly Step[], at: string): Promise<void> {
    const until = performance.now() + CHECK_MS
    await this.#settle()
    for (const check of checks)
      for (;;) {
        const failure = await this.#failure(check).catch((error: unknown) => {
          if (error instanceof UnsupportedStep) throw error
          return String(error)
        })
        if (failure === undefined) break
        if (performance.now() > until) throw new Error(`${at}: ${JSON.stringify(check)}: ${failure}`)
        await sleep(50)
        await this.#settle()
      }
  }

  /** Returns why a check does not hold. Undefined if it does. */
  async #failure(raw: Step): Promise<string | undefined> {
    const check = (await this.#references.fillAll(raw)) as Record<string, string> & {
      is?: unknown
      n?: number
      owner?: string
      selector?: unknown
      event?: EventCheck
      noevent?: EventCheck
    }
    const object = (reference: string): Promise<AnyObject | undefined> => this.#world.get(parseReference(reference))
    if (check.obj !== undefined) {
      const found = await object(check.obj)
      return found ? mismatch(check.is ?? {}, found) : 'does not exist'
    }
    if (check.certificate !== undefined) {
      const { certificate } = (await object(check.certificate))?.status ?? {}
      return certificate ? mismatch(check.is ?? {}, certificateFacts(certificate)) : 'has no certificate'
    }
    if (check.gone !== undefined) return (await object(check.gone)) ? 'exists' : undefined
    if (check.terminating !== undefined)
      return (await object(check.terminating))?.metadata.deletionTimestamp ? undefined : 'is not terminating'
    if (check['not-terminating'] !== undefined) {
      const found = await object(check['not-terminating'])
      return found && !found.metadata.deletionTimestamp ? undefined : 'is gone or terminating'
    }
    if (check.count !== undefined) {
      const found = await this.#references.selected(check.count, check)
      const live = found.filter(each => !each.metadata.deletionTimestamp && mismatch(check.is ?? {}, each) === undefined)
      return live.length === check.n
        ? undefined
        : `there are ${live.length} of ${found.length}: ${found.map(({ metadata }) => metadata.name).join(', ')}`
    }
    if (check.list !== undefined) {
      const values = (await this.#references.selected(check.list, check)).map(each => memberAt(each, String(check.field))).toSorted()
      return mismatch({ $exact: check.is }, values)
    }
    if (check.sameVersion !== undefined)
      return (await object(String(check.of)))?.metadata.resourceVersion === this.#references.bound(check.sameVersion)
        ? undefined
        : 'was written'
    if (check.event !== undefined) return this.#eventFailure(check.event)
    if (check.noevent !== undefined) return (await this.#eventFailure(check.noevent)) === undefined ? 'there is such an event' : undefined
    throw new UnsupportedStep(`check ${Object.keys(check)[0]}`)
  }

  async #eventFailure({ on, ...expected }: EventCheck): Promise<string | undefined> {
    const { namespace, kind, name } = parseReference(on)
    const involvedObject = { kind, name, ...(namespace !== 'default' && { namespace }) }
    const events = await this.#world.list('Event')
    const found = events.some(event => mismatch({ ...expected, involvedObject }, event) === undefined)
    return found
      ? undefined
      : `there are ${JSON.stringify(events.map(event => [event.involvedObject.kind, event.involvedObject.name, event.type, event.reason, event.message]))}`
  }
}
