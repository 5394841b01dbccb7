import { expect } from 'chai'
import type { RuntimeClass } from '../../../../../src/api/node/v1.types.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { mergeTolerations } from '../../../../../src/resources/core/pod/tolerations.ts'
import { runtimeClassAdmission } from '../../../../../src/resources/node/runtime-class/admission-plugin.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'

const podFixed = { cpu: '100m' }
const exists = { key: 'a', operator: 'Exists' }
const classes: Record<string, object> = {
  plain: {},
  heavy: { overhead: { podFixed } },
  picky: { scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [exists] } },
}
const plugin = runtimeClassAdmission(async name => classes[name] as RuntimeClass | undefined)
const request = (spec: object) => admissionRequest(podResource, { metadata: { name: 'p' }, spec })
const admitted = async (spec: object) => {
  const asked = request(spec)
  await plugin.mutate?.(asked)
  return asked.object?.spec
}

describe('RuntimeClass admission of pods', () => {
  it('sets the overhead of the class', async () => {
    expect(await admitted({ runtimeClassName: 'heavy' })).to.deep.equal({ runtimeClassName: 'heavy', overhead: podFixed })
    expect(await admitted({ runtimeClassName: 'plain' })).to.deep.equal({ runtimeClassName: 'plain' })
    expect(await admitted({})).to.deep.equal({})
  })

  it('adds the node selector and tolerations of the class', async () => {
    expect(
      await admitted({ runtimeClassName: 'picky', nodeSelector: { zone: 'a' }, tolerations: [{ key: 'b', operator: 'Exists' }] }),
    ).to.deep.equal({
      runtimeClassName: 'picky',
      nodeSelector: { zone: 'a', disk: 'ssd' },
      tolerations: [{ key: 'b', operator: 'Exists' }, exists],
    })
  })

  const refused: [object, string][] = [
    [{ runtimeClassName: 'absent' }, 'pod rejected: RuntimeClass "absent" not found'],
    [{ runtimeClassName: 'heavy', overhead: { cpu: '1' } }, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"],
    [
      { runtimeClassName: 'picky', nodeSelector: { disk: 'hdd' } },
      'conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd',
    ],
  ]
  for (const [spec, text] of refused)
    it(`rejects: ${text}`, async () => expect(await refusal(plugin.mutate?.(request(spec)))).to.equal(`pods "p" is forbidden: ${text}`))

  it('rejects an overhead that differs from the class', async () => {
    const validated = (spec: object) => refusal((async () => plugin.validate?.(request(spec)))())
    expect(await validated({ runtimeClassName: 'heavy', overhead: podFixed })).to.equal(undefined)
    expect(await validated({ runtimeClassName: 'heavy' })).to.contain("doesn't match")
    expect(await validated({ overhead: podFixed })).to.contain('Pod Overhead set without corresponding RuntimeClass defined Overhead')
  })
})

describe('merging tolerations', () => {
  const all = { operator: 'Exists' }
  const equal = { key: 'a', operator: 'Equal', value: 'x' }
  const seconds = (tolerationSeconds: number): object => ({ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds })
  const cases: [string, object[], object[], object[]][] = [
    ['that differ', [equal], [{ ...equal, value: 'y' }], [equal, { ...equal, value: 'y' }]],
    ['that are equal', [exists], [exists], [exists]],
    ['of which one covers another', [equal], [exists], [exists]],
    ['of which one covers all', [equal, exists], [all], [all]],
    ['for some time', [seconds(5)], [seconds(9)], [seconds(9)]],
    ['of one effect', [{ ...exists, effect: 'NoSchedule' }], [exists], [exists]],
    [
      'of two effects',
      [{ ...exists, effect: 'NoSchedule' }],
      [{ ...exists, effect: 'NoExecute' }],
      [
        { ...exists, effect: 'NoSchedule' },
        { ...exists, effect: 'NoExecute' },
      ],
    ],
  ]
  for (const [what, first, second, merged] of cases) it(what, () => expect(mergeTolerations(first, second)).to.deep.equal(merged))
})
