import type { Pod, PodSpec } from '../../../api/core/v1.types.ts'
import type { ConnectCall, ConnectOptions, Destination } from '../../../catalog/connect.ts'
import { getKind } from '../../../catalog/define.ts'
import type { Subresource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { badRequestError } from '../../../meta/status.ts'
import { PODS } from '../../kinds.ts'
import { encodeQuery, kubeletOf } from '../connect/kubelet.ts'
import { containerName } from './container-name.ts'

type QueryPair = readonly [name: string, value: string]

/** The kubelet's names of the streams. */
const STREAMS = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
] as const

const streamQuery = (options: ConnectOptions): QueryPair[] =>
  STREAMS.flatMap(([option, param]) => (options[option] === true ? [[param, '1'] as const] : []))
const optionWords = (value: ConnectOptions[string] | undefined): string[] => (typeof value === 'object' ? value.map(String) : [])
const commandQuery = ({ command }: ConnectOptions): QueryPair[] => optionWords(command).map(word => ['command', word] as const)
const portQuery = ({ ports }: ConnectOptions): QueryPair[] => (ports === undefined ? [] : [['port', optionWords(ports).join(',')]])

async function locateStream(
  { api, name, namespace, options, kubelets }: ConnectCall,
  pathOf: (spec: PodSpec) => string,
  query: (options: ConnectOptions) => QueryPair[],
): Promise<Destination> {
  const pod = await getKind(api, PODS, namespace, name)
  const path = pathOf(pod.spec)
  const { nodeName } = pod.spec
  if (!nodeName) throw badRequestError(`pod ${name} does not have a host assigned`)
  return { ...(await kubeletOf({ api, kubelets }, nodeName)), path, query: encodeQuery(query(options)) }
}

const METHODS = ['GET', 'POST']

/**
 * Declares a subresource that connects the client's streams to a container: to a new command (`exec`) or to its main
 * process (`attach`).
 */
const containerStream = (verb: 'exec' | 'attach', kind: string, query: (options: ConnectOptions) => QueryPair[]): Subresource<Pod> => {
  const schema = types.type(`core.${kind}`)
  return {
    verbs: ['create', 'get'],
    kind: { group: '', version: 'v1', kind, schema },
    connect: {
      how: 'upgrade',
      speaks: 'remote command',
      methods: METHODS,
      options: schema,
      locate: call => {
        const asked = String(call.options.container ?? '')
        return locateStream(call, spec => `/${verb}/${call.namespace}/${call.name}/${containerName(call.name, spec, asked)}`, query)
      },
    },
  }
}

/** Streams of a container’s main process. */
export const attachSubresource: Subresource<Pod> = containerStream('attach', 'PodAttachOptions', streamQuery)
/** Streams of a command that is started in a container. */
export const execSubresource: Subresource<Pod> = containerStream('exec', 'PodExecOptions', options => [
  ...streamQuery(options),
  ...commandQuery(options),
])

const portForwardOptions = types.type('core.PodPortForwardOptions')

/** Forwards connections to ports of a pod. */
export const portForwardSubresource: Subresource<Pod> = {
  verbs: ['create', 'get'],
  kind: { group: '', version: 'v1', kind: 'PodPortForwardOptions', schema: portForwardOptions },
  connect: {
    how: 'upgrade',
    speaks: 'port forward',
    methods: METHODS,
    options: portForwardOptions,
    locate: call => locateStream(call, () => `/portForward/${call.namespace}/${call.name}`, portQuery),
  },
}
