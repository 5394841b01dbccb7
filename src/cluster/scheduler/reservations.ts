import { errorMessage } from '../../lib/error-message.ts'
import type { ActiveReserve } from './find-node.ts'
import type { BindingContext, Permit, Reservation, Status } from './framework.ts'
import type { NodeInfo } from './node-info.ts'

/** A plugin that rejects the chosen node, and its status. */
export interface BindingRejection {
  readonly plugin: string
  readonly status: Status
}

interface PluginReservation {
  readonly plugin: string
  readonly reservation: Reservation
}

/** A condition of a plugin that a pod waits for before it is bound. */
export interface PluginPermit {
  readonly plugin: string
  readonly permit: Permit
}

/**
 * Reservations of the plugins for a pod on the node that was chosen for it. Source: RunReservePluginsReserve,
 * RunPreBindPlugins of pkg/scheduler/framework/runtime.
 */
export class Reservations {
  readonly #all: readonly PluginReservation[]

  private constructor(all: readonly PluginReservation[]) {
    this.#all = all
  }

  /**
   * Reserves a node with each plugin in turn. Stops at the first one that rejects it: `rejection` is set then, and what
   * was reserved before must be released.
   */
  static make(
    reserves: readonly ActiveReserve[],
    node: NodeInfo,
  ): { readonly reservations: Reservations; readonly rejection?: BindingRejection } {
    const made: PluginReservation[] = []
    for (const { plugin, reserve } of reserves) {
      const result = reserve(node)
      if (result && 'code' in result) return { reservations: new Reservations(made), rejection: { plugin, status: result } }
      if (result) made.push({ plugin, reservation: result })
    }
    return { reservations: new Reservations(made) }
  }

  /** Whether a plugin prepares the binding of the pod. */
  get isPending(): boolean {
    return this.#all.some(({ reservation }) => reservation.preBind)
  }

  /**
   * Prepares the binding with each plugin in turn. Resolves with the first rejection. Rejects with an Error that names
   * the plugin that failed.
   */
  async preBind(context: BindingContext): Promise<BindingRejection | undefined> {
    for (const { plugin, reservation } of this.#all) {
      const status = await reservation.preBind?.(context).catch((error: unknown) => {
        throw new Error(`running PreBind plugin "${plugin}": ${errorMessage(error)}`, { cause: error })
      })
      if (status) return { plugin, status }
    }
    return undefined
  }

  /** Releases all reservations, the last one first. */
  async release(context: BindingContext): Promise<void> {
    for (const { reservation } of this.#all.toReversed()) await reservation.unreserve?.(context)
  }
}
