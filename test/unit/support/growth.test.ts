import { expect } from 'chai'
import { type Cost, superLinear } from '../../support/growth.ts'

/** Returns the sizes that were measured, and the size at which growth was found. */
async function found(
  total: (size: number, nth: number) => number,
  sizes = [10, 100, 1000, 10_000],
): Promise<{ size: number | undefined; measured: number[] }> {
  const measured: number[] = []
  const growth = await superLinear(sizes, async (size): Promise<Cost> => {
    measured.push(size)
    return { total: total(size, measured.length), turn: 0 }
  })
  return { size: growth?.size, measured }
}

describe('the search for superlinear costs', () => {
  const before = process.env.TIME_BOUNDS
  beforeEach(() => {
    process.env.TIME_BOUNDS = '1'
  })
  afterEach(() => {
    if (before === undefined) delete process.env.TIME_BOUNDS
    else process.env.TIME_BOUNDS = before
  })

  it('finds a quadratic cost, and measures nothing larger', async () => {
    const { size, measured } = await found(n => n ** 2 / 10_000)
    expect(size).to.equal(1000)
    expect(Math.max(...measured)).to.equal(1000)
  })

  it('finds a cost that doubles with each item at a small size', async () => {
    expect((await found(n => 2 ** n / 1e6, [20, 28, 36, 1000])).size).to.equal(28)
  })

  const linear: Record<string, (n: number) => number> = {
    'a line': n => n / 10,
    'a line above a fixed cost': n => 40 + n / 50,
    'n log n': n => (n * Math.log2(n)) / 1000,
    'a square that stays small': n => n ** 2 / 1e7,
  }
  for (const [name, cost] of Object.entries(linear))
    it(`does not report ${name}`, async () => expect((await found(cost)).size).to.equal(undefined))

  it('compares only costs far above the smallest without bounds of time', async () => {
    delete process.env.TIME_BOUNDS
    expect((await found(n => n ** 2 / 250_000)).size).to.equal(undefined)
    expect((await found(n => n ** 2 / 10_000)).size).to.equal(10_000)
  })

  it('measures again, so that one slow run is not reported', async () => {
    expect((await found((_, nth) => (nth === 3 ? 900 : 1))).size).to.equal(undefined)
  })
})
