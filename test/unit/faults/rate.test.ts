import { expect } from 'chai'
import type { FaultRate } from '../../../src/faults/fault-spec.ts'
import { millisecondsOf, RateState } from '../../../src/faults/rate.ts'

describe('RateState', () => {
  const struck = (rate: FaultRate, times: readonly number[]): string => {
    const state = new RateState(rate, 0)
    return times.map(now => (state.strikes(now) ? 'x' : '.')).join('')
  }
  const cases: [rate: FaultRate, times: number[], struck: string][] = [
    [{}, [0, 0, 0], 'xxx'],
    [{ skip: 2 }, [0, 0, 0], '..x'],
    [{ count: 1 }, [0, 0], 'x.'],
    [{ count: 0 }, [0], '.'],
    [{ share: 0 }, [0, 0], '..'],
    [{ after: '1s' }, [999, 1000], '.x'],
    [{ for: '1s' }, [0, 999, 1000], 'xx.'],
    [{ after: '1s', for: '1s', every: '5s' }, [0, 1000, 1999, 2000, 6000, 7000], '.xx.x.'],
  ]
  for (const [rate, times, expected] of cases)
    it(`${JSON.stringify(rate)} at ${times}`, () => expect(struck(rate, times)).to.equal(expected))

  it('draws the share by the seed', () => {
    const drawn = (seed: number): string => struck({ share: 0.3, seed }, Array(1000).fill(0))
    expect(drawn(1)).to.equal(drawn(1))
    expect(drawn(1)).to.not.equal(drawn(2))
    expect([...drawn(1)].filter(each => each === 'x')).to.have.length.within(250, 350)
  })

  const wrong: FaultRate[] = [
    { share: 1.1 },
    { share: Number.NaN },
    { count: -1 },
    { skip: 0.5 },
    { every: '0s' },
    { for: '-1s' },
    { after: 'x' },
  ]
  for (const rate of wrong) it(`refuses ${JSON.stringify(rate)}`, () => expect(() => new RateState(rate, 0)).to.throw(Error))

  it('parses durations', () => expect([millisecondsOf('1m30s'), millisecondsOf('500us')]).to.deep.equal([90_000, 0.5]))
})
