import { yamlBytes } from '../../../codec/yaml.ts'
import { quote } from '../../../lib/go-quote.ts'
import { FunctionError } from './errors.ts'
import { declare, type TemplateFunction } from './functions.ts'
import { jsonText, plainValue } from './plain.ts'
import type { TemplateValue } from './values.ts'

/** Conditions of a healthy node. Source: kwok, pkg/utils/gotpl/funcs.go. */
const NODE_CONDITIONS: TemplateValue = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
  { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', message: 'RouteController created a route' },
].map(condition => ({ lastHeartbeatTime: null, lastTransitionTime: null, ...condition }))

/** Quotes a value for YAML: a text as JSON, and any other value as the text of its JSON. */
function quoted(value: TemplateValue): string {
  const json = jsonText(value)
  return json.startsWith('"') ? json : quote(json)
}

/** Writes a value as YAML, indented by a number of levels of two spaces. An indented value begins with a line break. */
function yaml(value: TemplateValue, ...levels: TemplateValue[]): string {
  const text = yamlBytes(plainValue(value)).toString()
  const [level] = levels
  if (levels.length !== 1 || typeof level !== 'bigint' || level <= 0n) return text
  if (level > 100n) throw new FunctionError('an indentation of more than 100 levels is not supported')
  return `\n${text}`.replaceAll('\n', `\n${' '.repeat(Number(level) * 2)}`)
}

/** Functions that kwok adds and that need nothing else. */
export const KWOK_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  Quote: declare('any', quoted),
  YAML: declare('any, int...', yaml),
  NodeConditions: declare('', () => NODE_CONDITIONS),
}

/** Time, addresses and names that templates read from their surroundings. */
export interface TemplateEnvironment {
  /** Returns the current time as RFC 3339. */
  now(): string
  /** Time at which the program started. */
  readonly startTime: string
  readonly version: string
  /** Address of the simulated nodes. Empty if there is none. */
  nodeIP(): string
  /** Name of the node that is rendered. Empty for other objects. */
  nodeName(): string
  /** Port of the simulated kubelet. 0 if there is none. */
  nodePort(): number
  /** Returns the addresses of a node, the first one preferred. */
  nodeIPsWith(nodeName: string): readonly string[]
  podIP(): string
  /** Allocates an address of each family for a pod. */
  podIPsWith(nodeName: string, hostNetwork: boolean, uid: string, name: string, namespace: string): readonly string[]
}

/** Functions that read the surroundings. Source: kwok, pkg/kwok/controllers. */
export function environmentFunctions(environment: TemplateEnvironment): Record<string, TemplateFunction> {
  return {
    Now: declare('', () => environment.now()),
    StartTime: declare('', () => environment.startTime),
    Version: declare('', () => environment.version),
    NodeIP: declare('', () => environment.nodeIP()),
    NodeName: declare('', () => environment.nodeName()),
    NodePort: declare('', () => BigInt(environment.nodePort())),
    NodeIPWith: declare('string', (name: string) => environment.nodeIPsWith(name)[0] ?? ''),
    NodeIPsWith: declare('string', (name: string) => environment.nodeIPsWith(name)),
    PodIP: declare('', () => environment.podIP()),
    PodIPWith: declare(
      'string, bool, string, string, string',
      (...args: Parameters<TemplateEnvironment['podIPsWith']>) => environment.podIPsWith(...args)[0] ?? '',
    ),
    PodIPsWith: declare('string, bool, string, string, string', (...args: Parameters<TemplateEnvironment['podIPsWith']>) =>
      environment.podIPsWith(...args),
    ),
  }
}
