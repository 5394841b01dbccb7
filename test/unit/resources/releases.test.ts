import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { resourceQuotaResource } from '../../../src/resources/core/resource-quota/definition.ts'
import { bootstrapPolicy } from '../../../src/resources/rbac/policy/bootstrap-policy.ts'
import { csiNodeResource } from '../../../src/resources/storage/csi-node/definition.ts'
import { causesOf, KindCases } from '../../support/kind-cases.ts'

const casesIn = (release: Release, definition: ResourceDefinition): KindCases => {
  const cases = new KindCases(definition)
  cases.server.features = parseGates(release)
  return cases
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const set = (spec: object = {}): object => ({ spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec } })
const pod = (spec: object = {}): object => ({ spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 's', ...spec } })
const preferring = (value: string): object => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] }]
  return pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } })
}
const drivers = (nodeID: string): object => ({ spec: { drivers: [{ name: 'd', nodeID }] } })

describe('kinds of earlier releases', () => {
  /** The errors of an object in 1.32 and in 1.33. `before` is created first, if given. */
  const judged: [what: string, definition: ResourceDefinition, given: object, old: string[], now: string[], before?: object][] = [
    ['the name of the service of a stateful set', statefulSetResource, set({ serviceName: 'a.b' }), [], ['Invalid spec.serviceName']],
    ['another limit of revisions', statefulSetResource, set({ revisionHistoryLimit: 3 }), ['Forbidden spec'], [], set()],
    [
      'a value that no label may have',
      podResource,
      preferring('a b'),
      [],
      [
        'Invalid spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]',
      ],
    ],
    ['another id of a node', csiNodeResource, drivers('m'), ['Invalid CSINodeDriver'], ['Invalid spec.drivers'], drivers('n')],
  ]
  for (const [what, definition, given, old, now, before] of judged) {
    it(`validate ${what} as their release does`, async () => {
      for (const [release, causes] of [
        ['1.32', old],
        ['1.33', now],
      ] as const) {
        const cases = casesIn(release, definition)
        if (before) await cases.create(before)
        expect(await causesOf(before ? cases.update(given) : cases.create(given)), release).to.deep.equal(causes)
      }
    })
  }

  it('set the generation of pods from 1.33 on', async () => {
    const generationIn = async (release: Release) => (await casesIn(release, podResource).create(pod())).metadata.generation
    expect([await generationIn('1.32'), await generationIn('1.33')]).to.deep.equal([undefined, 1])
  })

  it('have the warnings of their release', async () => {
    const warningsIn = async (release: Release): Promise<string[]> => {
      const sets = casesIn(release, statefulSetResource)
      await sets.create(set({ revisionHistoryLimit: -1 }).valueOf())
      const pods = casesIn(release, podResource)
      await pods.create(pod({ volumes: [{ name: 'g', gitRepo: { repository: 'r' } }] }))
      return [...sets.server.warnings, ...pods.server.warnings]
    }
    expect(await warningsIn('1.32')).to.deep.equal(['spec.volumes[0].gitRepo: deprecated in v1.11'])
    expect(await warningsIn('1.33')).to.deep.equal([
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    ])
  })

  it('have the table columns of their release', () => {
    const columnsIn = (release: Release) => resourceQuotaResource.hub.tableIn?.(release)?.columns.map(({ name }) => name)
    expect(columnsIn('1.32')).to.deep.equal(['Name', 'Age', 'Request', 'Limit'])
    expect(columnsIn('1.33')).to.deep.equal(['Name', 'Request', 'Limit', 'Age'])
  })

  it('have the default roles of their gates', () => {
    const kubeletsIn = (release: Release) =>
      bootstrapPolicy(parseGates(release))
        .clusterRoles.find(({ metadata }) => metadata.name === 'system:kubelet-api-admin')
        ?.rules?.flatMap(({ resources }) => resources ?? [])
    expect(kubeletsIn('1.33')).to.include('nodes/configz')
    expect(kubeletsIn('1.32')).to.include('nodes/stats').and.not.include('nodes/configz')
  })
})
