import { expect } from 'chai'
import { runAtOnce, runInTurns } from '../../../src/lib/steps.ts'
import { endTurn, turnIsLong } from '../../../src/lib/turn.ts'
import { isWide, MANY_MEMBERS, namesOf, noteCopy, noteMembers, wideNames } from '../../../src/lib/wide-objects.ts'

const objectOf = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i]))

describe('a wide object', () => {
  it('has more members than the limit', () => {
    const [wide, other] = [objectOf(MANY_MEMBERS + 1), objectOf(MANY_MEMBERS)]
    expect([isWide(wide), isWide(other)]).to.deep.equal([false, false])
    expect([namesOf(wide).length, namesOf(other).length]).to.deep.equal([MANY_MEMBERS + 1, MANY_MEMBERS])
    expect([isWide(wide), isWide(other)]).to.deep.equal([true, false])
  })

  it('is marked by the code that creates it, and by that which copies it', () => {
    const [few, many] = [noteMembers({}, MANY_MEMBERS), noteMembers({}, MANY_MEMBERS + 1)]
    expect([isWide(few), isWide(many), isWide(noteCopy(few, {})), isWide(noteCopy(many, {}))]).to.deep.equal([false, true, false, true])
  })

  it('lists its names in order, in a turn of their own', async () => {
    await new Promise(setImmediate)
    const wide = objectOf(MANY_MEMBERS + 1)
    const steps = wideNames(wide)
    expect([steps.next().done, turnIsLong()]).to.deep.equal([false, true])
    await new Promise(setImmediate)
    expect([steps.next().done, turnIsLong()]).to.deep.equal([false, true])
    expect(steps.next().value).to.deep.equal(Object.keys(wide))
    expect(runAtOnce(wideNames(wide))).to.deep.equal(Object.keys(wide))
  })

  it('lets other work run before and after', async () => {
    await new Promise(setImmediate)
    let turns = 0
    let on = true
    const count = (): void => {
      turns++
      if (on) setImmediate(count)
    }
    setImmediate(count)
    await runInTurns(wideNames({}))
    on = false
    expect(turns).to.be.at.least(2)
  })

  it('does not delay work that runs at once', () => {
    endTurn()
    expect(runAtOnce(wideNames({ a: 1 }))).to.deep.equal(['a'])
  })
})
