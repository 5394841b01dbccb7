import { expect } from 'chai'
import { pemBlocks } from '../../../src/lib/pem-blocks.ts'

const block = (label: string, body = 'x'): string => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`
const labelsIn = (text: string): string[] => Array.from(pemBlocks(text), ({ label }) => label)

describe('pemBlocks', () => {
  it('finds blocks, with the text between their first and last lines', () => {
    expect([...pemBlocks(`before\n${block('A', 'one')}\nbetween\n${block('B KEY')}\n`)]).to.deep.equal([
      { label: 'A', text: block('A', 'one'), body: '\none\n' },
      { label: 'B KEY', text: block('B KEY'), body: '\nx\n' },
    ])
  })

  it('skips a block whose last line has another label', () => {
    expect(labelsIn(`-----BEGIN A-----\nx\n-----END B-----\n${block('C')}`)).to.deep.equal(['C'])
  })

  it('skips a block without an end', () => {
    expect(labelsIn(`-----BEGIN A-----\nx\n${block('B')}\n-----BEGIN C-----`)).to.deep.equal(['B'])
  })
})
