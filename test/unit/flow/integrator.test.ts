import { expect } from 'chai'
import { Integrator } from '../../../src/flow/integrator.ts'

describe('Integrator', () => {
  it('weighs values by time', () => {
    let now = 0
    const integrator = new Integrator(() => now)
    integrator.set(3)
    now += 1000
    const first = { seconds: 1, average: 3, deviation: 0, min: 0, max: 3 }
    expect(integrator.results()).to.deep.equal(first)
    expect(integrator.reset()).to.deep.equal(first)
    integrator.set(2)
    const none = integrator.results()
    expect(none).to.include({ seconds: 0, min: 2, max: 3 })
    expect(none.average).to.be.NaN
    expect(none.deviation).to.be.NaN
    now += 1
    integrator.set(1)
    now += 1
    expect(integrator.results()).to.deep.equal({ seconds: 0.002, average: 1.5, deviation: 0.5, min: 1, max: 3 })
  })
})
