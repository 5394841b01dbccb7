import { expect } from 'chai'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { podTemplateWarnings, podWarnings } from '../../../../../src/resources/core/pod-spec/warnings.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { podWith } from '../../../../support/pod.ts'

const container = (fields: object) => ({ containers: [{ name: 'c', image: 'i:1', ...fields }] })

const cases: Record<string, [spec: object, ...warnings: string[]]> = {
  nothing: [{}],
  'node labels': [
    {
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      topologySpreadConstraints: [{ topologyKey: 'failure-domain.beta.kubernetes.io/zone' }],
    },
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
  ],
  affinity: [
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] } },
          ],
        },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z' }] },
      },
    },
    'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: node-role.kubernetes.io/master is use "node-role.kubernetes.io/control-plane" instead',
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
  ],
  volumes: [
    {
      volumes: [
        { name: 'a', gitRepo: { repository: 'r' } },
        { name: 'b', rbd: {} },
      ],
    },
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    'spec.volumes[1].rbd: deprecated in v1.28, non-functional in v1.31+',
  ],
  'files that replace others': [
    {
      volumes: [
        {
          name: 'a',
          projected: {
            sources: [
              { serviceAccountToken: { path: 't' } },
              {},
              { secret: { name: 's', items: [{ key: 'k', path: 't/' }] } },
              { configMap: { name: 'c' } },
            ],
          },
        },
        {
          name: 'b',
          configMap: {
            name: 'c',
            items: [
              { key: 'k', path: 'd/e' },
              { key: 'l', path: 'd' },
              { key: 'm', path: 'de' },
            ],
          },
        },
      ],
    },
    'volume "a" (Projected) has no sources provided',
    'volume "a" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
    // The config map names no files, and counts as the secret once more.
    'volume "a" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)',
    'volume "a" (Projected): overlapping paths: "t" (Secret "s") with "t" (Secret "s")',
    'volume "b" (ConfigMap "c"): overlapping paths: "d" with "d/e"',
  ],
  'names of ports twice': [
    container({
      ports: [
        { name: 'p', containerPort: 1 },
        { name: 'p', containerPort: 2 },
      ],
    }),
    'spec.containers[0].ports[1]: duplicate port name "p" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
  ],
  'names twice': [
    { hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }], imagePullSecrets: [{ name: 'a' }, { name: 'a' }, { name: '' }] },
    'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
  ],
  'parts of bytes': [
    container({ resources: { limits: { memory: '1500m' } } }),
    'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
  ],
  'hidden variables': [
    container({
      env: [
        { name: 'a', value: '1' },
        { name: 'a', value: '$(a)2' },
        { name: 'a', value: '$(a)' },
      ],
    }),
    'spec.containers[0].env[2]: hides previous definition of "a", which may be dropped when using apply',
  ],
  ports: [
    container({
      ports: [
        { containerPort: 1 },
        { containerPort: 1 },
        { containerPort: 1, hostPort: 2 },
        { containerPort: 1, hostPort: 2, hostIP: '1.1.1.1' },
      ],
    }),
    'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]',
    'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]',
    'spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[0]',
    'spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[1]',
    'spec.containers[0].ports[3]: dangerously ambiguous port definition with spec.containers[0].ports[2]',
  ],
  'a host address without port': [
    container({ ports: [{ containerPort: 1, hostIP: '1.1.1.1' }] }),
    'spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:1 Protocol:TCP HostIP:1.1.1.1}',
  ],
  'a negative grace period': [
    { terminationGracePeriodSeconds: -1 },
    'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ],
}

describe('resources/core/pod-spec/warnings', () => {
  for (const [name, [spec, ...warnings]] of Object.entries(cases)) {
    it(name, () => expect(runAtOnce(podWarnings(podWith(spec), featuresOf()))).to.deep.equal(warnings))
  }

  it('compares the ports of very many with a limited number of others, in steps, and limits the text', () => {
    const warningsOf = (port: (i: number) => object) => {
      const ports = Array.from({ length: 10_000 }, (_, i) => port(i))
      return countedSteps(podWarnings(podWith(container({ ports })), featuresOf()))
    }
    const same = warningsOf(() => ({ containerPort: 1 }))
    expect(same.result.length).to.be.within(10, 300)
    const different = warningsOf(i => ({ containerPort: 1, hostPort: i + 1 }))
    expect(different.result).to.deep.equal([])
    expect(different.yields).to.be.within((10_000 * 100) / 512, (10_000 * 300) / 512)
  })

  it('are found in steps in many containers, variables, secrets and aliases', () => {
    const many = <T>(item: (i: number) => T): T[] => Array.from({ length: 10_000 }, (_, i) => item(i))
    const yieldsOf = (spec: object) => countedSteps(podWarnings(podWith(spec), featuresOf())).yields
    const few = yieldsOf({})
    for (const spec of [
      { containers: many(i => ({ name: `c${i}`, image: 'i', resources: {} })) },
      container({ env: many(i => ({ name: `e${i}` })) }),
      { imagePullSecrets: many(i => ({ name: `s${i}` })) },
      { hostAliases: many(i => ({ ip: `10.0.${i >> 8}.${i & 255}` })) },
      { topologySpreadConstraints: many(i => ({ topologyKey: `k${i}`, labelSelector: {} })) },
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: many(() => ({ labelSelector: {} })) } } },
    ])
      expect(yieldsOf(spec)).to.be.at.least(few + Math.floor(10_000 / 512))
  })

  it('deprecated annotations', () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/critical-pod': '',
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
      'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
    }
    const told = [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ]
    const template = podWith({}, { annotations })
    expect(runAtOnce(podWarnings(template, featuresOf()))).to.deep.equal(told)
    expect(podTemplateWarnings(template, featuresOf(), fieldPath('template'))).to.deep.equal([
      ...told.map(text => `template.${text}`),
      'template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ])
  })
})
