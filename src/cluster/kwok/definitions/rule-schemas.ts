import type { JsonObject as Schema } from '../../../api/meta/object.ts'
import { flag, integer, list, object, oneOf, requiredText, text } from './schemas.ts'

const containers = list({ type: 'string' }, 'Names of the containers. Default: those that no other rule names.')

/** Pods to which an object of the cluster applies. */
export const POD_SELECTOR: Schema = object(
  {
    matchNamespaces: list({ type: 'string' }, 'Namespaces. Default: all.'),
    matchNames: list({ type: 'string' }, 'Names of pods. Default: all.'),
  },
  'Pods to which the rules apply. Default: all.',
)

/** Pattern of a quantity, as Kubernetes has it in schemas of resource.Quantity. */
const QUANTITY = '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

const log = object({
  containers,
  text: text('Log, by lines. Takes precedence over logsFile. Not known to kwok.'),
  previousText: text('Log of the previous run. Not known to kwok.'),
  logsFile: text('File in the format of a container runtime, or of plain lines, on the machine of the server.'),
  previousLogsFile: text('File of the previous run.'),
  follow: flag('Whether clients that follow the log wait for further lines of the file.'),
})

const attach = object({
  containers,
  text: text('Output that the client receives. Not known to kwok.'),
  echo: flag('Whether the client receives its own input. Not known to kwok.'),
  logsFile: text('File whose lines the client receives, on the machine of the server.'),
})

const processContext = object(
  {
    workDir: text('Working directory.'),
    envs: list(object({ name: requiredText('Name.'), value: text('Value.') }, undefined, ['name']), 'Environment variables.'),
    securityContext: object(
      { runAsUser: integer('Id of the user.', { format: 'int64' }), runAsGroup: integer('Id of the group.', { format: 'int64' }) },
      'User and group of the process. Default: those of the server.',
    ),
  },
  'Runs commands as processes on the machine of the server, if its operator allows it.',
)

const exec = object({
  containers,
  output: object(
    {
      stdout: text('Standard output.'),
      stderr: text('Standard error.'),
      exitCode: integer('Exit code. Default: 0.', { minimum: 0, maximum: 255 }),
    },
    'Result of every command. Not known to kwok.',
  ),
  echo: flag('Whether the output is the input, or the words of the command if there is no input. Not known to kwok.'),
  local: processContext,
})

const port: Schema = { type: 'integer', format: 'int32', minimum: 0, maximum: 65_535 }
const forward = object({
  ports: list(port, 'Ports of the pod. Default: those that no other rule names.'),
  command: list({ type: 'string' }, 'Program and arguments, whose standard streams are the connection. Takes precedence over the target.'),
  target: object(
    { address: requiredText('Host.'), port: { ...port, description: 'Port.' } },
    'Address to which the port leads, as seen from the machine of the server.',
    ['address', 'port'],
  ),
  greeting: text('Text that is sent when the connection opens, before the client sends anything. Not known to kwok.'),
  text: text('Text that is sent when the client has sent something. The connection ends after it. Not known to kwok.'),
  echo: flag('Whether the client receives what it sends. Not known to kwok.'),
})

const usage = object({
  containers,
  usage: {
    type: 'object',
    description: 'Usage by resource: cpu, memory.',
    additionalProperties: object({
      value: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: QUANTITY,
        'x-kubernetes-int-or-string': true,
        description: 'Fixed quantity.',
      },
      expression: text('Expression of CEL about node, pod and container that returns cores or bytes.'),
    }),
  },
})

const bucket = object(
  {
    le: { type: 'number', minimum: 0, description: 'Upper bound.' },
    value: text('Expression of CEL for the number of observations.'),
    hidden: flag('Whether the bucket is only part of sum and count.'),
  },
  undefined,
  ['le', 'value'],
)
const keyedBy = (key: string): Schema => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] })
const label = object({ name: requiredText('Name.'), value: requiredText('Expression of CEL for the value.') }, undefined, ['name', 'value'])
const metric = object(
  {
    name: requiredText('Full name.'),
    help: text('Sentence about the metric.'),
    kind: oneOf('Type.', 'counter', 'gauge', 'histogram'),
    dimension: { ...text('Objects of which each has its own value: node, pod or container.'), default: 'node' },
    labels: { ...list(label, 'Labels.'), ...keyedBy('name') },
    value: text('Expression of CEL about node, pod and container for the value. Not for histograms.'),
    buckets: { ...list(bucket, 'Buckets of a histogram.'), ...keyedBy('le') },
  },
  undefined,
  ['kind', 'name'],
)

/** Member of the spec with the rules of a kind: its name, its schema, and whether it is required. */
export interface RuleMember {
  /** Name of the member: `logs`. */
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** Rules of Logs and ClusterLogs. Those of the other kinds follow. */
export const LOGS: RuleMember = { name: 'logs', schema: list(log, 'Logs of containers.'), isRequired: true }
export const ATTACHES: RuleMember = { name: 'attaches', schema: list(attach, 'Streams of attached clients.'), isRequired: true }
export const EXECS: RuleMember = { name: 'execs', schema: list(exec, 'How commands run.'), isRequired: true }
export const FORWARDS: RuleMember = { name: 'forwards', schema: list(forward, 'Where forwarded ports lead.'), isRequired: true }
export const USAGES: RuleMember = { name: 'usages', schema: list(usage, 'Usage of containers.'), isRequired: false }

/** Spec of a Metric. */
export const METRIC_SPEC: Schema = object(
  {
    path: requiredText('Path of the kubelet, such as /metrics/nodes/{nodeName}/metrics/resource.'),
    metrics: list(metric, 'Metrics of the path.'),
  },
  undefined,
  ['metrics', 'path'],
)
