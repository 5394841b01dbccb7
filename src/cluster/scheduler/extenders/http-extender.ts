import type { Agent } from 'node:http'
import type { Pod } from '../../../api/core/v1.types.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../api/meta/object.ts'
import type { Destination } from '../../../clients/destination.ts'
import { keptConnections, keptPlainConnections, postOnce } from '../../../clients/post.ts'
import { readForeignJson } from '../../../codec/foreign-json.ts'
import { DEADLINE, startDeadline } from '../../../lib/deadline.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isLongStepDone, runInTurns, type Steps } from '../../../lib/steps.ts'
import { trimEndOf } from '../../../lib/trim.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PreemptionCandidate } from '../preemption.ts'
import type { Extender, ExtenderFilterResult, ExtenderVictims } from './extender.ts'

/**
 * An extender of a KubeSchedulerConfiguration, with its defaults. Source: Extender of kubescheduler.config.k8s.io/v1.
 */
export interface HttpExtenderOptions {
  /** Verbs are appended to its path. */
  readonly url: URL
  /** Empty if it filters no nodes. */
  readonly filterVerb: string
  /** Empty if it scores no nodes. */
  readonly prioritizeVerb: string
  /** Empty if it binds no pods. */
  readonly bindVerb: string
  /** Empty if it takes no part in preemptions. */
  readonly preemptVerb: string
  readonly weight: number
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number
  /** Whether it knows the nodes, so that their names suffice. */
  readonly isCached: boolean
  /** Whether scheduling continues without it if it fails. */
  readonly isIgnorable: boolean
  /** Resources of which a pod must request one. It regards all pods if there are none. */
  readonly resources: ReadonlySet<string>
  readonly tls: {
    readonly ca?: Buffer
    readonly cert?: Buffer
    readonly key?: Buffer
    readonly isInsecure: boolean
    readonly serverName?: string
  }
}

/** Longest response. A list of ten thousand nodes fits. */
const MOST_BYTES = 64 << 20

/**
 * Calls an extender over HTTP. Calls are bounded in time and size, and bodies are written and read in steps. Source:
 * HTTPExtender of pkg/scheduler/extender.go.
 */
export class HttpExtender implements Extender {
  readonly #options: HttpExtenderOptions
  readonly #agent: Agent

  constructor(options: HttpExtenderOptions) {
    const { ca, cert, key, isInsecure } = options.tls
    this.#options = options
    this.#agent =
      options.url.protocol === 'http:'
        ? keptPlainConnections()
        : keptConnections({
            ...(ca && { ca }),
            ...(cert && { cert }),
            ...(key && { key }),
            ...(isInsecure && { rejectUnauthorized: false }),
          })
  }

  get name(): string {
    return this.#options.url.href
  }

  get isIgnorable(): boolean {
    return this.#options.isIgnorable
  }

  get filters(): boolean {
    return this.#options.filterVerb !== ''
  }

  get binds(): boolean {
    return this.#options.bindVerb !== ''
  }

  get preempts(): boolean {
    return this.#options.preemptVerb !== ''
  }

  get weight(): number {
    return this.#options.prioritizeVerb === '' ? 0 : this.#options.weight
  }

  isInterested({ spec }: Pod): boolean {
    const { resources } = this.#options
    if (resources.size === 0) return true
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ resources: own }) =>
      Object.keys({ ...own?.requests, ...own?.limits }).some(name => resources.has(name)),
    )
  }

  /**
   * Returns the nodes that the extender accepts, and why it rejects others. Throws an Error if it reports one, or
   * accepts a node that it was not sent.
   */
  async filter(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult> {
    const { filterVerb, isCached } = this.#options
    const result = membersOf(await this.#send(filterVerb, await this.#arguments(pod, nodes), signal))
    const error = result.get('error')
    if (typeof error === 'string' && error !== '') throw new Error(error)
    const names = isCached ? textsOf(result.get('nodenames')) : undefined
    const known = new Set(nodes.map(({ name }) => name))
    const feasible = new Set(names ?? nodeNames(result.get('nodes')))
    for (const name of feasible)
      if (!known.has(name))
        throw new Error(
          `extender ${JSON.stringify(this.name)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
        )
    return { feasible, failed: reasonsOf(result.get('failednodes')), unresolvable: reasonsOf(result.get('failedandunresolvablenodes')) }
  }

  /** Returns scores by node, before the weight is applied. Malformed entries are ignored. */
  async prioritize(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const result = await this.#send(this.#options.prioritizeVerb, await this.#arguments(pod, nodes), signal)
    const scores = new Map<string, number>()
    for (const each of Array.isArray(result) ? result : []) {
      const members = membersOf(each)
      const [host, score] = [members.get('host'), Number(members.get('score'))]
      if (typeof host === 'string' && Number.isFinite(score)) scores.set(host, score)
    }
    return scores
  }

  async bind({ metadata: { name, namespace, uid } }: Pod, node: string, signal: AbortSignal): Promise<void> {
    const body = Buffer.from(JSON.stringify({ PodName: name, PodNamespace: namespace, PodUID: uid, Node: node }))
    const error = membersOf(await this.#send(this.#options.bindVerb, body, signal)).get('error')
    if (typeof error === 'string' && error !== '') throw new Error(error)
  }

  async preempt(pod: Pod, candidates: readonly PreemptionCandidate[], signal: AbortSignal): Promise<ReadonlyMap<string, ExtenderVictims>> {
    const { preemptVerb, isCached } = this.#options
    const body = await runInTurns(preemptionArguments(pod, candidates, isCached))
    const victims = membersOf(await this.#send(preemptVerb, body, signal)).get('nodenametometavictims')
    return new Map(
      isJsonObject(victims) ? Object.entries(victims as JsonObject).map(([node, value]) => [node, acceptedVictims(value)]) : [],
    )
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Encodes pod and nodes, in turns. */
  #arguments(pod: Pod, nodes: readonly NodeInfo[]): Promise<Buffer> {
    return runInTurns(extenderArguments(pod, nodes, this.#options.isCached))
  }

  /** Posts a body. Throws an Error with Go's message if there is no response of status 200 in time. */
  async #send(verb: string, body: Buffer, signal: AbortSignal): Promise<Json> {
    const url = `${trimEndOf(this.name, '/')}/${verb}`
    const limit = startDeadline(this.#options.timeoutMs, signal)
    try {
      const response = await postOnce(this.#destination(new URL(url)), body, limit.signal, { maxBytes: MOST_BYTES }).catch(error => {
        const reason = limit.isOver() ? `${DEADLINE} (Client.Timeout exceeded while awaiting headers)` : errorMessage(error)
        throw new Error(`Post ${JSON.stringify(url)}: ${reason}`, { cause: error })
      })
      if (response.status !== 200) throw new Error(`failed ${verb} with extender at URL ${url}, code ${response.status}`)
      return await readForeignJson(response.body, limit.signal)
    } finally {
      limit.dispose()
    }
  }

  /** Returns the destination of a call. All calls share connections. */
  #destination({ protocol, hostname, port, host, pathname, search }: URL): Destination {
    const bare = hostname.replace(/^\[|\]$/g, '')
    const isPlain = protocol === 'http:'
    const serverName = this.#options.tls.serverName ?? bare
    return {
      agent: this.#agent,
      host: bare,
      port: Number(port) || (isPlain ? 80 : 443),
      authority: host,
      serverName,
      path: pathname + search,
      headers: {},
    }
  }
}

/** Writes an ExtenderArgs. Source: k8s.io/kube-scheduler/extender/v1. */
function* extenderArguments(pod: Pod, nodes: readonly NodeInfo[], isCached: boolean): Steps<Buffer> {
  const start = `{"Pod":${JSON.stringify(pod)},`
  if (isCached) return Buffer.from(`${start}"Nodes":null,"NodeNames":${JSON.stringify(nodes.map(({ name }) => name))}}`)
  const parts: Buffer[] = [Buffer.from(`${start}"Nodes":{"metadata":{},"items":[`)]
  for (const [i, { node }] of nodes.entries()) {
    if (isLongStepDone()) yield
    parts.push(Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(node)}`))
  }
  parts.push(Buffer.from(']},"NodeNames":null}'))
  return Buffer.concat(parts)
}

/** Writes an ExtenderPreemptionArgs. Source: k8s.io/kube-scheduler/extender/v1. */
function* preemptionArguments(pod: Pod, candidates: readonly PreemptionCandidate[], isCached: boolean): Steps<Buffer> {
  const member = isCached ? '"NodeNameToVictims":null,"NodeNameToMetaVictims"' : '"NodeNameToVictims"'
  const parts: Buffer[] = [Buffer.from(`{"Pod":${JSON.stringify(pod)},${member}:{`)]
  for (const [i, { node, victims, violations }] of candidates.entries()) {
    if (isLongStepDone()) yield
    const pods = victims.map(({ pod: victim }) => (isCached ? { UID: victim.metadata.uid } : victim))
    const value = JSON.stringify({ Pods: pods, NumPDBViolations: violations })
    parts.push(Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(node.name)}:${value}`))
  }
  parts.push(Buffer.from(isCached ? '}}' : '},"NodeNameToMetaVictims":null}'))
  return Buffer.concat(parts)
}

/** Reads a MetaVictims. */
function acceptedVictims(value: Json | undefined): ExtenderVictims {
  const members = membersOf(value)
  const pods = members.get('pods')
  const uids = (Array.isArray(pods) ? pods : []).flatMap(pod => {
    const uid = membersOf(pod).get('uid')
    return typeof uid === 'string' ? [uid] : []
  })
  return { uids, violations: Number(members.get('numpdbviolations') ?? 0) || 0 }
}

/** Returns the members of an object by their names in lower case, as Go decodes members of any case. */
const membersOf = (value: Json | undefined): Map<string, Json> =>
  new Map(
    isJsonObject(value)
      ? Object.entries(value as JsonObject).flatMap(([name, member]) => (member === undefined ? [] : [[name.toLowerCase(), member]]))
      : [],
  )

const textsOf = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : undefined

/** Names of a list of nodes. */
function nodeNames(list: Json | undefined): string[] {
  const items = membersOf(list).get('items')
  return (Array.isArray(items) ? items : []).flatMap(item => {
    const name = membersOf(membersOf(item).get('metadata')).get('name')
    return typeof name === 'string' ? [name] : []
  })
}

const reasonsOf = (value: Json | undefined): ReadonlyMap<string, string> =>
  new Map(isJsonObject(value) ? Object.entries(value as JsonObject).map(([name, reason]) => [name, String(reason)]) : [])
