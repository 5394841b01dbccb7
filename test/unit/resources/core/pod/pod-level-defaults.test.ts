import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { KindCases } from '../../../../support/kind-cases.ts'

interface Resources {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
}

const HUGE = 'hugepages-2Mi'

const podsOf = (release: Release, gates: Record<string, boolean> = {}): KindCases => {
  const pods = new KindCases(podResource)
  pods.server.features = parseGates(release, new Map(Object.entries(gates)))
  return pods
}

const specOf = (resources: Resources | undefined, ...containers: Resources[]): object => ({
  containers: containers.map((of, i) => ({ name: `c${i}`, image: 'i', resources: of })),
  ...(resources && { resources }),
})

describe('pod level defaults', () => {
  const limited = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }
  const cases: [
    what: string,
    release: Release,
    resources: Resources | undefined,
    containers: Resources[],
    expected: Resources | undefined,
  ][] = [
    ['leaves a pod without pod-level resources alone', '1.37', undefined, [limited], undefined],
    [
      'takes limits from the containers',
      '1.37',
      { requests: { cpu: '2' } },
      [limited, limited],
      { requests: { cpu: '2', memory: '2Gi' }, limits: { cpu: '2', memory: '2Gi' } },
    ],
    [
      'raises a limit to the request',
      '1.37',
      { requests: { cpu: '3' } },
      [limited],
      { requests: { cpu: '3', memory: '1Gi' }, limits: { cpu: '3', memory: '1Gi' } },
    ],
    [
      'takes no limit that a container does not have',
      '1.37',
      { requests: { cpu: '2' } },
      [limited, { limits: { memory: '1Gi' } }],
      { requests: { cpu: '2', memory: '2Gi' }, limits: { memory: '2Gi' } },
    ],
    [
      'keeps limits of the pod',
      '1.37',
      { limits: { cpu: '4' } },
      [limited],
      { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4', memory: '1Gi' } },
    ],
    [
      'takes limits of huge pages from some of the containers',
      '1.37',
      { requests: { cpu: '1' } },
      [{ limits: { [HUGE]: '2Mi', cpu: '1' } }, {}],
      { requests: { cpu: '1', [HUGE]: '2Mi' }, limits: { [HUGE]: '2Mi' } },
    ],
    ['takes no limits before 1.37', '1.36', { requests: { cpu: '2' } }, [limited, limited], { requests: { cpu: '2' } }],
    [
      'takes requests from the containers before 1.37, if the pod has limits',
      '1.36',
      { limits: { cpu: '4' } },
      [limited],
      { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '4' } },
    ],
  ]
  for (const [what, release, resources, containers, expected] of cases)
    it(what, async () =>
      expect((await podsOf(release).create({ spec: specOf(resources, ...containers) })).spec.resources).to.deep.equal(expected),
    )

  it('has the rules of 1.36 while the gate is off', async () => {
    const pod = await podsOf('1.37', { PodLevelResourcesFixDefaulting: false }).create({
      spec: specOf({ requests: { cpu: '2' } }, limited),
    })
    expect(pod.spec.resources).to.deep.equal({ requests: { cpu: '2' } })
  })

  it('decides the QoS class', async () => {
    const classes = ['1.36', '1.37'] as const
    const spec = specOf({ requests: { cpu: '1', memory: '1Gi' } }, limited)
    expect(await Promise.all(classes.map(async release => (await podsOf(release).create({ spec })).status.qosClass))).to.deep.equal([
      'Burstable',
      'Guaranteed',
    ])
  })

  it('changes no stored pod in an update of something else', async () => {
    const pods = podsOf('1.36')
    const pod = await pods.create({ spec: specOf({ requests: { cpu: '2' } }, limited) })
    pods.server.features = parseGates('1.37')
    const updated = await pods.update({ spec: pod.spec, metadata: { ...pod.metadata, annotations: { a: 'b' } } })
    expect(updated.spec.resources).to.deep.equal({ requests: { cpu: '2' } })
  })

  it('sets those that a resize leaves out', async () => {
    const pods = podsOf('1.36')
    const { spec } = await pods.create({ spec: specOf({ requests: { cpu: '500m', memory: '1Gi' } }, limited) })
    pods.server.features = parseGates('1.37')
    const resized = await pods.update({ spec: { ...spec, resources: { requests: { cpu: '600m', memory: '1Gi' } } } }, {}, 'resize')
    expect(resized.spec.resources).to.deep.equal({ requests: { cpu: '600m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } })
  })
})
