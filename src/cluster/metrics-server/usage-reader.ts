import type { Container, Node, Pod } from '../../api/core/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import type { Clock } from '../../lib/clock.ts'
import { seededRandom } from '../../lib/seeded-random.ts'
import type { Steps } from '../../lib/steps.ts'
import { ruleOfContainer } from '../kwok/rules/pod-rules.ts'
import { decodeResourceUsage, type UsageRule } from '../kwok/rules/usage.ts'
import { amountOf, usageEnvironment } from '../kwok/rules/usage-environment.ts'
import { RuleReader, type RuleSet, ruleKind } from '../node-server/rule-reader.ts'

/** Cores of cpu, and bytes of memory, by the name of the resource. */
export type UsedAmounts = Readonly<Record<string, number>>

/** Usage of a container that has neither rule nor annotation, as in kwok: a thousandth of a core, and 1 MiB. */
const DEFAULTS: UsedAmounts = { cpu: 0.001, memory: 1024 * 1024 }

/** Annotations of pods with the usage of each of their containers, as in kwok: `kwok.x-k8s.io/usage-cpu: 100m`. */
const annotationOf = (resource: string): string => `kwok.x-k8s.io/usage-${resource}`

/** Usage of the containers of pods, at the time at which it was read. */
export interface UsageReading {
  /**
   * Returns what each container that runs uses, by its name, in steps of one container. Throws an Error if an
   * expression fails or a rule is invalid.
   */
  of(pod: Pod, node: Node | undefined): Steps<readonly ContainerUsage[]>
}

/** Usage of a container. */
export interface ContainerUsage {
  readonly name: string
  readonly usage: UsedAmounts
}

/** Reads the usage of containers from rules and annotations. */
export class UsageReader {
  readonly #rules: RuleReader<UsageRule>

  constructor(client: ApiClient, clock: Clock) {
    const environment = usageEnvironment({ now: () => clock.now(), random: seededRandom(1) })
    this.#rules = new RuleReader(
      client,
      ruleKind('ResourceUsage', 'resourceusages', object => decodeResourceUsage(object, environment)),
    )
  }

  /** Reads the rules for pods of a namespace, or of all namespaces if it is empty. */
  async read(namespace: string): Promise<UsageReading> {
    const rules = await this.#rules.all(namespace)
    return {
      *of(pod, node) {
        const usages: ContainerUsage[] = []
        for (const container of runningContainers(pod)) {
          usages.push({ name: container.name, usage: containerUsage(rules, { pod, container, node: node ?? { metadata: {} } }) })
          yield
        }
        return usages
      },
    }
  }
}

interface Subject {
  readonly pod: Pod
  readonly container: Container
  readonly node: Node | { readonly metadata: object }
}

function containerUsage(rules: RuleSet<UsageRule>, { pod, container, node }: Subject): UsedAmounts {
  const { namespace = '', name = '', annotations = {} } = pod.metadata
  const rule = rules.find(namespace, name, each => ruleOfContainer(each, container.name))
  const usage: Record<string, number> = {}
  for (const [resource, fallback] of Object.entries(DEFAULTS))
    usage[resource] = amountOf(annotations[annotationOf(resource)] ?? '') ?? fallback
  const subject = { node: node as unknown as JsonObject, pod: pod as unknown as JsonObject, container: container as unknown as JsonObject }
  for (const [resource, amount] of rule?.usage ?? []) usage[resource] = Math.max(0, amount(subject))
  return usage
}

/** Containers and sidecars that run. */
function runningContainers({ spec, status }: Pod): Container[] {
  const running = new Set(
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].flatMap(({ name, state }) =>
      state?.running ? [name] : [],
    ),
  )
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(({ name }) => running.has(name))
}

/** Adds usages. */
export function sumOf(usages: Iterable<UsedAmounts>): UsedAmounts {
  const sum: Record<string, number> = {}
  for (const usage of usages) for (const [resource, amount] of Object.entries(usage)) sum[resource] = (sum[resource] ?? 0) + amount
  return sum
}
