import type { FlowSchema, PriorityLevelConfiguration } from '../api/flowcontrol/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { KindId } from '../catalog/define.ts'
import type { FlowControl } from '../flow/flow-control.ts'
import { inNextTurn } from '../lib/turn.ts'
import { deepEqual } from '../meta/equal.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVELS } from '../resources/kinds.ts'
import { type ControllerEnvironment, clusterKeys, followKept } from './controller.ts'

type WithSpec = TypedObject & { readonly spec: unknown }

/** Objects of a kind by name. */
class Objects<T extends WithSpec> {
  readonly #byName = new Map<string, T>()
  readonly #changed: () => void
  isSynced = false

  constructor(changed: () => void) {
    this.#changed = changed
  }

  all(): T[] {
    return [...this.#byName.values()]
  }

  /** Keeps the objects in sync with a kind. */
  follow(env: ControllerEnvironment, id: KindId<T>, signal: AbortSignal): Promise<void> {
    return followKept(env, id, signal, {
      keys: () => clusterKeys(this.#byName.keys()),
      put: object => this.#put(object),
      remove: (_, name) => {
        if (this.#byName.delete(name)) this.#changed()
      },
      synced: () => {
        this.isSynced = true
        this.#changed()
      },
    })
  }

  /** Stores the object. Reports a change only if the spec differs. */
  #put(object: T): void {
    const { name = '', uid } = object.metadata
    const before = this.#byName.get(name)
    this.#byName.set(name, object)
    if (before === undefined || before.metadata.uid !== uid || !deepEqual(before.spec, object.spec)) this.#changed()
  }
}

/**
 * Configures API Priority and Fairness from the stored flow schemas and priority levels. Changes of one turn are
 * applied together. Every server runs it. @param configured called after each configuration.
 */
export async function followFlowControl(
  env: ControllerEnvironment,
  flows: FlowControl,
  signal: AbortSignal,
  configured: () => void = () => {},
): Promise<void> {
  let isDue = false
  const changed = (): void => {
    if (isDue || !levels.isSynced || !schemas.isSynced) return
    isDue = true
    inNextTurn(() => {
      isDue = false
      if (signal.aborted) return
      flows.configure({ levels: levels.all(), schemas: schemas.all() })
      configured()
    })
  }
  const levels = new Objects<PriorityLevelConfiguration>(changed)
  const schemas = new Objects<FlowSchema>(changed)
  await Promise.all([levels.follow(env, PRIORITY_LEVELS, signal), schemas.follow(env, FLOW_SCHEMAS, signal)])
}
