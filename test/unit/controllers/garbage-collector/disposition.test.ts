import { expect } from 'chai'
import { dispositionOf } from '../../../../src/controllers/garbage-collector/disposition.ts'

describe('disposition of a dependent', () => {
  const cases: [solid: string[], dangling: string[], waiting: string[], hasDependents: boolean, expected: string][] = [
    [['a'], [], [], true, 'keep'],
    [['a'], ['b'], [], false, 'release'],
    [['a'], [], ['b'], true, 'release'],
    [[], ['a'], [], true, 'delete'],
    [[], [], ['a'], false, 'delete'],
    [[], ['b'], ['a'], true, 'delete foreground'],
  ]
  for (const [solid, dangling, waiting, hasDependents, expected] of cases)
    it(`is ${expected} with owners ${JSON.stringify({ solid, dangling, waiting })}${hasDependents ? ' and dependents' : ''}`, () =>
      expect(dispositionOf({ solid, dangling, waiting }, hasDependents)).to.equal(expected))
})
