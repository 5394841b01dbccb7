import type { AdmissionPlugin } from '../../src/admission/chain.ts'
import type { Namespace, Pod } from '../../src/api/core/v1.types.ts'
import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import { isStatusError, notFoundError } from '../../src/meta/status.ts'
import { podSecurity } from '../../src/resources/core/pod-security/admission-plugin.ts'
import { NO_CONFIGURATION, type PodSecurityConfiguration } from '../../src/resources/core/pod-security/configuration.ts'
import { PodSecurityMetrics } from '../../src/resources/core/pod-security/metrics.ts'
import { Standards } from '../../src/resources/core/pod-security/standards.ts'
import { admissionRequest } from './admission-request.ts'
import { annotationsOf } from './audit-record.ts'

const PREFIX = 'pod-security.kubernetes.io/'

/** Labels of Pod Security as they are in a namespace: `{ enforce: 'baseline' }`. */
export const securityLabels = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]))

interface World {
  /** Of the namespace `ns`, without their prefix; undefined: there is no such namespace. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly release?: Release
  readonly gates?: Readonly<Record<string, boolean>>
  readonly configuration?: Partial<PodSecurityConfiguration>
  readonly pods?: readonly Pod[]
  /** Milliseconds that pass with each reading of the clock. */
  readonly tick?: number
  readonly failsToList?: boolean
}

/** Result of the plugin. Annotations are without their prefix. */
export interface Outcome {
  readonly refusal?: { readonly code: number; readonly message: string }
  readonly warnings: readonly string[]
  readonly annotations: Readonly<Record<string, string>>
  /** Those of the counters that are not zero: `evaluations deny restricted latest enforce create pod`. */
  readonly counted: readonly string[]
}

/** The plugin in a cluster that has one namespace. */
export function podSecurityWorld({
  labels,
  release = '1.33',
  gates = {},
  configuration = {},
  pods = [],
  tick = 0,
  failsToList = false,
}: World) {
  const features = parseGates(release, new Map(Object.entries(gates)))
  const metrics = new PodSecurityMetrics(release)
  const namespace: Namespace | undefined =
    labels && ({ metadata: { name: 'ns', labels: securityLabels(labels) }, spec: {}, status: {} } as Namespace)
  let now = 0
  const plugin: AdmissionPlugin = podSecurity({
    features,
    configuration: { ...NO_CONFIGURATION, ...configuration },
    standards: new Standards(features),
    metrics,
    clock: { now: () => (now += tick) },
    getNamespace: async name => {
      if (namespace === undefined || name !== 'ns') throw notFoundError({ group: '', resource: 'namespaces' }, name)
      return namespace
    },
    listPods: async () => {
      if (failsToList) throw new Error('no')
      return pods.map(pod => () => pod)
    },
  })
  const counted = (): string[] =>
    metrics.families
      .flatMap(family => [...family.samples()])
      .filter(({ value }) => value > 0)
      .map(({ metricName, labels: of }) =>
        [metricName.replace(/^pod_security_|_total$/g, ''), ...Object.values(of)].filter(one => one !== '').join(' '),
      )
  return {
    plugin,
    async ask(
      definition: ResourceDefinition,
      object: object,
      parts: { readonly user?: string; readonly deadline?: number; readonly [member: string]: unknown } = {},
    ): Promise<Outcome> {
      const warnings: string[] = []
      const { record, annotations } = annotationsOf()
      const { user = 'jane', deadline = 0, ...rest } = parts
      const ctx = {
        user: { name: user, groups: [] },
        signal: new AbortController().signal,
        audit: record,
        warn: (text: string) => warnings.push(text),
        deadline,
      }
      const request = admissionRequest(definition, object, { namespace: 'ns', ctx, ...rest })
      let refusal: Outcome['refusal']
      if (plugin.handles(request))
        await plugin.validate?.(request)?.catch((error: unknown) => {
          if (!isStatusError(error)) throw error
          refusal = { code: error.code, message: error.message }
        })
      return {
        ...(refusal && { refusal }),
        warnings,
        annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key.replace(PREFIX, ''), value])),
        counted: counted(),
      }
    },
  }
}
