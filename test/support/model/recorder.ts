import { acceptOf, withoutTable } from './form.ts'
import type { ModelRequest, ModelServer, ModelStream } from './model-server.ts'
import type { Seen, SeenAnswer, SeenEvent, SeenWatch } from './seen.ts'

/** Servers and store of a history's clients. */
export interface ModelWorld {
  /** Current servers. A replacement has the number of its predecessor. */
  readonly servers: readonly ModelServer[]
  /** Returns the store's newest revision if it is known without a call. */
  storeRevision(): number | undefined
  /** Returns a revision that the store has not passed at the time of the call. Infinity if unknown. */
  askRevision?(): Promise<number>
  /** Highest revision in any response of any history. */
  told: number
}

export type Draft<T> = { -readonly [K in keyof T]: T[K] }

/** A watch as it is recorded. */
export interface RecordedStream {
  readonly seen: SeenWatch
  readonly stream: ModelStream
  /** Resolves when it has ended, and is recorded so. */
  readonly over: Promise<void>
  /** It was not left by chance, but when all was over. */
  stay(): void
}

/** Requests of all clients of one history, with what they were told and when. */
export class Recorder {
  readonly seen: Seen[] = []
  /** Pending requests, with the number of the server. */
  readonly #asked = new Set<string>()
  readonly #world: ModelWorld
  #requests = 0

  constructor(world: ModelWorld) {
    this.#world = world
  }

  get highest(): number {
    return this.#world.told
  }

  /** Pending requests, for a history that does not end. */
  get awaited(): readonly string[] {
    const open = this.seen.flatMap(seen =>
      seen.kind === 'watch' && seen.end === 'open' ? [`a watch of server ${seen.server} after ${seen.events.length} events`] : [],
    )
    return [...this.#asked, ...open]
  }

  #learn(text: unknown): void {
    const told = Number(text ?? 0)
    if (told > this.#world.told) this.#world.told = told
  }

  #floor(): number {
    return this.#world.storeRevision() ?? this.#world.told
  }

  #ceiling(): number {
    return this.#world.storeRevision() ?? Number.POSITIVE_INFINITY
  }

  async #askedCeiling(): Promise<number> {
    return this.#world.askRevision?.() ?? this.#ceiling()
  }

  /** Asks, and records what was told with the rest of what there is to know of it. */
  async ask<T extends Exclude<Seen, SeenWatch>>(
    server: number,
    request: ModelRequest,
    about: Omit<T, 'server' | 'floor' | 'ceiling' | 'answer'>,
  ): Promise<SeenAnswer> {
    const floor = this.#floor()
    const asked = `${request.method} ${request.path} of server ${server} (${++this.#requests})`
    this.#asked.add(asked)
    const { status, body } = await (this.#world.servers[server] as ModelServer).ask(request)
    this.#asked.delete(asked)
    const answer = { status, body: withoutTable(body, about.kind === 'list' ? 'list' : 'one') }
    this.#learn(answer.body.metadata?.resourceVersion)
    this.seen.push({ ...about, server, floor, ceiling: await this.#askedCeiling(), answer } as unknown as T)
    return answer
  }

  watch(
    server: number,
    path: string,
    about: Pick<SeenWatch, 'extent' | 'start' | 'bookmarks' | 'form' | 'mayEnd'>,
    slow: boolean,
    onEvent?: (event: SeenEvent) => void,
  ): RecordedStream {
    const events: SeenEvent[] = []
    const seen: Draft<SeenWatch> = {
      kind: 'watch',
      ...about,
      server,
      floor: this.#floor(),
      ceiling: Number.POSITIVE_INFINITY,
      events,
      end: 'open',
    }
    this.seen.push(seen)
    const take = (type: string, told: SeenEvent['object']): void => {
      const object = withoutTable(told, 'one')
      const event = { type, object, ceiling: this.#ceiling() }
      this.#learn(object.metadata?.resourceVersion)
      events.push(event)
      onEvent?.(event)
    }
    const stream = (this.#world.servers[server] as ModelServer).watch(path, acceptOf(about.form, 'one'), take, slow)
    const over = stream.ended.then(async who => {
      seen.end = who
      seen.ceiling = await this.#askedCeiling()
      if (stream.refusal !== undefined) seen.refusal = stream.refusal
    })
    const stay = (): void => {
      if (seen.end === 'client') seen.end = 'open'
    }
    return { seen, stream, over, stay }
  }
}
