import { request } from 'node:https'
import type { Readable } from 'node:stream'
import type { ControllerClient } from '../../../src/explore/types.ts'

/** An object as the API sends it. */
export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: examples read fields of several kinds.
  readonly [field: string]: any
}

interface List {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly KubeObject[]
}

const RETRY_MS = 10

/**
 * Keeps the objects of a collection by name, as client-go's informers do: lists with version 0, watches, watches again
 * when a watch ends, and lists again after 410.
 */
export class Informer {
  readonly objects = new Map<string, KubeObject>()
  readonly #client: ControllerClient
  readonly #path: string
  readonly #changed: (object: KubeObject) => void

  constructor(client: ControllerClient, path: string, changed: (object: KubeObject) => void) {
    this.#client = client
    this.#path = path
    this.#changed = changed
  }

  /** Resolves when the objects are listed, and follows them until the client's signal aborts. */
  async start(): Promise<void> {
    const version = await this.#list('0')
    void this.#follow(version)
  }

  async #follow(from: string): Promise<void> {
    let version: string | undefined = from
    while (!this.#client.signal.aborted) {
      try {
        version ??= await this.#list('')
        version = await this.#watch(version)
      } catch {
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  async #list(resourceVersion: string): Promise<string> {
    const { status, body } = await this.#client.request<List>('GET', `${this.#path}?resourceVersion=${resourceVersion}`)
    if (status !== 200) throw new Error(`${this.#path}: ${status}`)
    const present = new Set(body.items.map(({ metadata }) => metadata.name))
    for (const [name, object] of this.objects)
      if (!present.has(name)) {
        this.objects.delete(name)
        this.#changed(object)
      }
    for (const object of body.items) {
      this.objects.set(object.metadata.name, object)
      this.#changed(object)
    }
    return body.metadata.resourceVersion
  }

  /** Watches until the watch ends. Resolves with the version to continue from, or undefined if the history is gone. */
  async #watch(from: string): Promise<string | undefined> {
    const { url, certificateAuthority: ca, clientCertificate: cert, clientKey: key, signal } = this.#client
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${from}`
    const events = await new Promise<Readable>((resolve, reject) => {
      request(new URL(`${this.#path}?${query}`, url), { ca, cert, key, signal }, resolve)
        .on('error', reject)
        .end()
    })
    let version = from
    let rest = ''
    for await (const chunk of events) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { type, object }: { readonly type: string; readonly object: KubeObject } = JSON.parse(line)
        if (type === 'ERROR') return undefined
        version = object.metadata.resourceVersion ?? version
        if (type === 'BOOKMARK') continue
        if (type === 'DELETED') this.objects.delete(object.metadata.name)
        else this.objects.set(object.metadata.name, object)
        this.#changed(object)
      }
    }
    return version
  }
}

/** Reconciles names one after the other, and retries after an error with back-off. */
export class WorkQueue {
  readonly #waiting = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #signal: AbortSignal
  readonly #reconcile: (name: string) => Promise<void>
  #isWorking = false
  #isStarted = false

  constructor(signal: AbortSignal, reconcile: (name: string) => Promise<void>) {
    this.#signal = signal
    this.#reconcile = reconcile
  }

  add(name: string): void {
    this.#waiting.add(name)
    if (this.#isStarted) void this.#work()
  }

  start(): void {
    this.#isStarted = true
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let [name] = this.#waiting; name !== undefined && !this.#signal.aborted; [name] = this.#waiting) {
      this.#waiting.delete(name)
      try {
        await this.#reconcile(name)
        this.#failures.delete(name)
      } catch {
        const failures = (this.#failures.get(name) ?? 0) + 1
        this.#failures.set(name, failures)
        const retried = name
        setTimeout(() => this.add(retried), Math.min(5 * 2 ** failures, 1000)).unref()
      }
    }
    this.#isWorking = false
  }
}

/** Sends a request. Rejects unless the status is below 300 or among those that are allowed. */
export async function call(
  client: Pick<ControllerClient, 'request'>,
  method: string,
  path: string,
  body?: unknown,
  allowed: readonly number[] = [],
): Promise<KubeObject | undefined> {
  const answer = await client.request<KubeObject>(method, path, body === undefined ? {} : { body })
  if (answer.status < 300) return answer.body
  if (allowed.includes(answer.status)) return undefined
  throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message}`)
}

/** A definition of a namespaced kind of the group races.example.dev with any spec and status. */
export const definition = (kind: string, plural: string): { readonly [field: string]: unknown } => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.races.example.dev` },
  spec: {
    group: 'races.example.dev',
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})
