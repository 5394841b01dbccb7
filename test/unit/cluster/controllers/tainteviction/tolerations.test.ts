import { expect } from 'chai'
import type { Taint, Toleration } from '../../../../../src/api/core/v1.types.ts'
import { evictingTaints, shortestStay, stayOf } from '../../../../../src/cluster/controllers/tainteviction/tolerations.ts'
import { tolerates } from '../../../../../src/cluster/shared/tolerations.ts'

const taint = (key: string, value?: string, effect: Taint['effect'] = 'NoExecute'): Taint => ({
  key,
  effect,
  ...(value !== undefined && { value }),
})

describe('time that a pod stays on a tainted node', () => {
  const cases: [title: string, tolerations: Toleration[], taints: Taint[], stay: 'forever' | number][] = [
    ['unlimited without taints', [], [], 'forever'],
    ['none without a toleration', [], [taint('a')], 0],
    ['none if one taint is not tolerated', [{ key: 'a', operator: 'Exists' }], [taint('a'), taint('b')], 0],
    ['unlimited if all are tolerated', [{ operator: 'Exists' }], [taint('a'), taint('b')], 'forever'],
    [
      'the shortest of the tolerations',
      [
        { key: 'a', operator: 'Exists', tolerationSeconds: 60 },
        { key: 'b', operator: 'Exists', tolerationSeconds: 30 },
      ],
      [taint('a'), taint('b')],
      30_000,
    ],
    ['none for a negative time', [{ key: 'a', operator: 'Exists', tolerationSeconds: -5 }], [taint('a')], 0],
    [
      'that of the first toleration that matches',
      [
        { operator: 'Exists', tolerationSeconds: 9 },
        { key: 'a', operator: 'Exists' },
      ],
      [taint('a')],
      9000,
    ],
  ]
  for (const [title, tolerations, taints, stay] of cases) it(`is ${title}`, () => expect(stayOf(tolerations, taints)).to.equal(stay))

  it('is none without any toleration', () => expect(shortestStay([])).to.equal(0))

  it('concerns taints with the effect NoExecute', () =>
    expect(evictingTaints([taint('a'), taint('b', 'v', 'NoSchedule')])).to.deep.equal([taint('a')]))

  const matches: [Toleration, Taint, boolean][] = [
    [{ key: 'a', value: 'v' }, taint('a', 'v'), true],
    [{ key: 'a', value: 'v' }, taint('a', 'w'), false],
    [{ key: 'a', effect: 'NoSchedule', operator: 'Exists' }, taint('a'), false],
    [{ key: 'b', operator: 'Exists' }, taint('a'), false],
    [{ key: 'a', operator: 'Gt', value: '5' }, taint('a', '6'), true],
    [{ key: 'a', operator: 'Lt', value: '5' }, taint('a', '6'), false],
    [{ key: 'a', operator: 'Gt', value: 'x' }, taint('a', '6'), false],
  ]
  for (const [toleration, of, result] of matches)
    it(`${JSON.stringify(toleration)} ${result ? 'tolerates' : 'does not tolerate'} ${JSON.stringify(of)}`, () =>
      expect(tolerates(toleration, of)).to.equal(result))
})
