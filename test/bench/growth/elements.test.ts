import type { PodSpec, Service } from '../../../src/api/core/v1.types.ts'
import { commonAudiences } from '../../../src/auth/authn/common-audiences.ts'
import { OwnerGraph } from '../../../src/controllers/garbage-collector/graph.ts'
import { nameDefinition } from '../../../src/extensions/accepted-names.ts'
import type { DefinitionHead } from '../../../src/extensions/definition-conditions.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { podTableIn } from '../../../src/resources/core/pod/table.ts'
import { validateFileVolumes } from '../../../src/resources/core/pod-spec/environment.ts'
import { planPorts } from '../../../src/resources/core/service/allocation/port-plan.ts'
import { DryRunPorts, PortSet } from '../../../src/resources/core/service/allocation/port-set.ts'
import { validateValue } from '../../support/at-once.ts'
import { NOW, podWith } from '../../support/pod.ts'
import { expectNoSquare } from '../../support/processor-cost.ts'

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

function exchangeOwners(count: number): () => unknown {
  const owners = (prefix: string) =>
    list(count, i => ({ apiVersion: 'v1', kind: 'Thing', name: `${prefix}${i}`, uid: `${prefix}${i}`, blockOwnerDeletion: true }))
  const [before, after] = [owners('a'), owners('b')]
  return () => {
    const graph = new OwnerGraph({ examine: () => {}, orphan: () => {}, invalidNamespace: () => {} })
    for (const ownerReferences of [before, after])
      runAtOnce(graph.put('v1', 'Thing', { name: 'd', uid: 'd', namespace: 'ns', ownerReferences }))
  }
}

function takePorts(count: number): () => unknown {
  const ports = list(count, i => ({ name: `p${i}`, protocol: 'TCP', port: i + 1, targetPort: i + 1, ...(i % 2 && { nodePort: i }) }))
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { type: 'NodePort', ports } } as unknown as Service
  return () => planPorts(service, undefined, new DryRunPorts(new PortSet({ base: 1, size: 65_535 }, Math.random)))
}

function changeShortNames(count: number): () => unknown {
  const names = { plural: 'things', kind: 'Thing' }
  const named = (wanted: string, accepted: string): DefinitionHead =>
    ({
      metadata: { name: wanted },
      spec: { group: 'g', names: { ...names, shortNames: list(count, i => `${wanted}${i}`) } },
      status: { acceptedNames: { ...names, shortNames: list(count, i => `${accepted}${i}`) } },
    }) as unknown as DefinitionHead
  const [one, other] = [named('a', 'b'), named('a', 'a')]
  return () => nameDefinition(one, [other])
}

/**
 * Two lists of a request, of which each element of one is looked up in the other: what to prepare for so many of both,
 * and then to measure.
 */
const table: [what: string, prepare: (count: number) => () => unknown][] = [
  ['owners that an object has no more', exchangeOwners],
  ['node ports of a dry run', takePorts],
  ['short names of a definition', changeShortNames],
  [
    'objects of an enum',
    n => {
      const values = list(n, i => ({ a: i, b: { c: 'x' } }))
      return () => validateValue(values, { type: 'array', items: { type: 'object', enum: values } }, fieldPath('spec'))
    },
  ],
  [
    'audiences of a token',
    n => {
      const [ofToken, wanted] = [list(n, i => `a${i}`), list(n, i => `b${i}`)]
      return () => commonAudiences(ofToken, wanted)
    },
  ],
  [
    'conditions of readiness gates',
    n => {
      const gates = list(n, i => ({ conditionType: `a${i}` }))
      const pod = podWith({ readinessGates: gates }, {}, { conditions: list(n, i => ({ type: `b${i}`, status: 'True' })) })
      return () => podTableIn('1.33').cells(pod, NOW)
    },
  ],
  [
    'volumes of variables in files',
    n => {
      const env = list(n, i => ({ name: `e${i}`, valueFrom: { fileKeyRef: { volumeName: `v${n - 1 - i}`, key: 'k', path: 'p' } } }))
      const spec = { containers: [{ name: 'c', env }], volumes: list(n, i => ({ name: `v${i}`, emptyDir: {} })) } as unknown as PodSpec
      return () => validateFileVolumes(spec, fieldPath('spec'))
    },
  ],
]

describe('lookups of ten thousand elements in as many take less than quadratic time', () => {
  for (const [what, prepare] of table) it(what, () => expectNoSquare(prepare))
})
