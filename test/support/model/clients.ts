import type { AnyObject } from '../any-object.ts'
import { type Chance, chance } from './chance.ts'
import type { Places } from './objects.ts'
import { getSomething, listSomething } from './reader.ts'
import type { ModelWorld, Recorder } from './recorder.ts'
import { type Follower, follow, type WatchWays, watchForAWhile } from './watcher.ts'
import { type ClientContext, writeSomething } from './writer.ts'

export interface ClientsOptions {
  readonly seed: number
  readonly world: ModelWorld
  readonly recorder: Recorder
  readonly places: Places
  readonly ways: WatchWays
  readonly clients: number
  readonly followers: number
  /** Steps of each client. */
  readonly steps: number
  pause(chance: Chance): Promise<void>
}

/**
 * Runs the clients of one history to their end. Followers go on; they are to be finished when the last write is done.
 */
export function runClients(options: ClientsOptions): { readonly done: Promise<void>; readonly followers: readonly Follower[] } {
  const { seed, world, recorder, places, ways } = options
  const known = new Map<string, AnyObject>()
  let tokens = 0
  const context = (name: string, n: number): ClientContext => {
    const luck = chance(seed * 1000 + n)
    return {
      recorder,
      chance: luck,
      places,
      name,
      known,
      server: () => Math.floor(luck.random() * world.servers.length),
      token: () => `${seed}-${++tokens}`,
      pause: () => options.pause(luck),
    }
  }
  const client = async (n: number): Promise<void> => {
    const each = context(`c${n}`, n)
    for (let step = 0; step < options.steps; step++) {
      const dice = each.chance.random()
      if (dice < 0.5) await writeSomething(each)
      else if (dice < 0.65) await getSomething(each)
      else if (dice < 0.85) await listSomething(each)
      else await watchForAWhile(each, ways)
      if (each.chance.is(0.4)) await each.pause()
    }
  }
  const followers = Array.from({ length: options.followers }, (_, n) => follow(context(`f${n}`, 100 + n), ways))
  const done = Promise.all(Array.from({ length: options.clients }, (_, n) => client(n))).then(() => {})
  return { done, followers }
}
