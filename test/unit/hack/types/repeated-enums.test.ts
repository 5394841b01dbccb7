import { expect } from 'chai'
import type { PackageFile } from '../../../../hack/types/declarations.ts'
import { repeatedEnums } from '../../../../hack/types/repeated-enums.ts'

const library: PackageFile = {
  file: 'src/api/library/v1.types',
  id: 'library',
  definition: 'io.example.library.v1',
  untyped: false,
  declarations: new Map([['Condition', { kind: 'enum', name: 'Condition', line: 3, values: ['New', 'Used'], fields: [] }]]),
}

describe('repeated enums', () => {
  const cases: [string, string, string[]][] = [
    [
      'a list with the values of an enum',
      "\nconst ALL = ['New', 'Used']",
      ['a.ts:2: repeats the values of library.Condition: use enumValues'],
    ],
    ['a list in another order', "f(['Used', 'New'])", ['a.ts:1: repeats the values of library.Condition: use enumValues']],
    ['a list over several lines', "[\n  'New',\n  'Used',\n]", ['a.ts:1: repeats the values of library.Condition: use enumValues']],
    ['no list of some of the values', "['New']", []],
    ['no list with other values', "['New', 'Used', 'Lost']", []],
    ['no index of a member', "record['New']", []],
  ]
  for (const [what, text, errors] of cases)
    it(`reports ${what}`, () => expect(repeatedEnums([library], [{ path: 'a.ts', text }])).to.deep.equal(errors))
})
