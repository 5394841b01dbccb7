import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { declarationsOf, PACKAGE_IDS } from '../../../src/api/packages.ts'

describe('packages of declarations', () => {
  for (const id of PACKAGE_IDS)
    it(`finds the file of ${id}`, () => expect(/^package (\w+) /m.exec(readFileSync(declarationsOf(id), 'utf8'))?.[1]).to.equal(id))
})
