import { expect } from 'chai'
import { wordingOf } from '../../../src/lifecycle/release.ts'
import { allWorded, atField, fieldErrorText, invalid, replacedSince, required, worded } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { invalidError } from '../../../src/meta/status.ts'
import { isWordedSince, joined, textIn, withPrefix, words } from '../../../src/meta/wording.ts'

describe('wording', () => {
  it('is that of the last release that changed messages', () => {
    expect(['1.24', '1.33', '1.34', '1.35', '1.36', '1.37'].map(release => wordingOf(release as '1.24'))).to.deep.equal([
      ...['1.24', '1.24', '1.34', '1.35', '1.35', '1.37'],
    ])
    expect(isWordedSince('1.35', '1.34')).to.equal(true)
    expect(isWordedSince('1.34', '1.35')).to.equal(false)
  })

  it('chooses the text of a release', () => {
    const detail = words('before', 'since', '1.35')
    expect([textIn(detail, '1.34'), textIn(detail, '1.35'), textIn(detail, '1.37'), textIn('same', '1.37')]).to.deep.equal([
      'before',
      'since',
      'since',
      'same',
    ])
    expect(`${detail}`).to.equal('before')
  })

  it('keeps both texts of a detail with a prefix, and of joined details', () => {
    expect(withPrefix('a ', 'b')).to.equal('a b')
    expect(withPrefix('a ', words('b', 'c', '1.35'))).to.deep.equal(words('a b', 'a c', '1.35'))
    expect(joined(['a', 'b'], '; ')).to.equal('a; b')
    expect(joined(['a', words('b', 'c', '1.37')], '; ')).to.deep.equal(words('a; b', 'a; c', '1.37'))
  })

  it('replaces an error, its reason and its path, or drops it', () => {
    const replaced = replacedSince('1.37', invalid(fieldPath('a'), null, 'old'), () => required(fieldPath('a', 'b'), 'new'))
    const dropped = replacedSince('1.37', invalid(fieldPath('c'), 1, 'old'), () => undefined)
    const errors = [replaced, dropped]
    expect(allWorded(errors, '1.24').map(fieldErrorText)).to.deep.equal(['a: Invalid value: "null": old', 'c: Invalid value: 1: old'])
    expect(allWorded(errors, '1.34').map(fieldErrorText)).to.deep.equal(['a: Invalid value: null: old', 'c: Invalid value: 1: old'])
    expect(allWorded(errors, '1.37').map(fieldErrorText)).to.deep.equal(['a.b: Required value: new'])
    expect(worded(replaced, '1.37')?.reason).to.equal('FieldValueRequired')
    expect(invalidError({ group: '', kind: 'K' }, 'n', errors).worded('1.37').status).to.deep.include({
      message: 'K "n" is invalid: a.b: Required value: new',
    })
  })

  it('keeps another path of an error in every release', () => {
    const error = atField(invalid(fieldPath(), null, 'no'), '<nil>')
    expect([fieldErrorText(error), ...allWorded([error], '1.34').map(fieldErrorText)]).to.deep.equal([
      '<nil>: Invalid value: "null": no',
      '<nil>: Invalid value: null: no',
    ])
  })
})
