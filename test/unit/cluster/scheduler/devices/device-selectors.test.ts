import { expect } from 'chai'
import { deviceMatcher } from '../../../../../src/cluster/scheduler/devices/device-selectors.ts'
import { offeredDevices } from '../../../../../src/cluster/scheduler/devices/offered-devices.ts'
import type { Steps } from '../../../../../src/lib/steps.ts'
import { sliceOf } from '../../../../support/device-objects.ts'

const [device] = offeredDevices(sliceOf('n', ['one']))
if (!device) throw new Error('the slice has a device')

/** Runs steps. Returns their result, or the message of their error, and their number. */
function ran(steps: Steps<boolean>): [result: boolean | string, count: number] {
  let count = 1
  try {
    for (; ; count++) {
      const { done, value } = steps.next()
      if (done) return [value, count]
    }
  } catch (error) {
    return [(error as Error).message, count]
  }
}

const numbers = JSON.stringify(Array.from({ length: 50 }, (_, i) => i))
const all = (condition: string): string => `${numbers}.all(x, ${numbers}.all(y, ${condition}))`

describe('a matcher of devices', () => {
  it('evaluates a selector in steps, once for each device', () => {
    const matches = deviceMatcher('1.34', false, () => true)
    const expression = all('x + y >= 0')
    const [result, count] = ran(matches(expression, device))
    expect(result).to.equal(true)
    expect(count).to.be.above(50)
    expect(ran(matches(expression, device))).to.deep.equal([true, 1])
  })

  it('reports an error that is found in a later step', () => {
    const [message, count] = ran(deviceMatcher('1.34', false, () => true)(all('10 / (49 - x) > -1'), device))
    expect(message).to.equal('CEL runtime error: division by zero')
    expect(count).to.be.above(50)
  })

  it('ends no step while the turn is not spent', () => {
    const [, whole] = ran(deviceMatcher('1.34', false, () => false)(all('x + y >= 0'), device))
    const [, simple] = ran(deviceMatcher('1.34', false, () => false)(all('true'), device))
    expect(whole - simple).to.be.below(5)
  })
})
