import { expect } from 'chai'
import {
  DEFAULT_RELEASE,
  NEWEST_FINAL_RELEASE,
  NEWEST_RELEASE,
  OLDEST_RELEASE,
  PREVIEWS,
  previewWarning,
  previousRelease,
  RELEASE_RANGE,
  RELEASES,
  type Release,
} from '../../../src/lifecycle/release.ts'
import { gitVersion } from '../../../src/server/version.ts'

describe('the list of releases', () => {
  it('has every minor release from the oldest to the newest', () => {
    expect([RELEASES[0], RELEASES.at(-1)]).to.deep.equal([OLDEST_RELEASE, NEWEST_RELEASE])
    for (const release of RELEASES.slice(1)) expect(RELEASES).to.include(previousRelease(release))
  })

  it('ends with a preview, if there is one', () => {
    const previews = Object.keys(PREVIEWS) as Release[]
    expect(previews).to.deep.equal(NEWEST_RELEASE === NEWEST_FINAL_RELEASE ? [] : [NEWEST_RELEASE])
    expect(PREVIEWS).not.to.have.property(DEFAULT_RELEASE)
    for (const release of previews) {
      const version = PREVIEWS[release] ?? ''
      expect(version).to.match(new RegExp(`^v${release}\\.0-(?:alpha|beta|rc)\\.\\d+$`))
      expect(gitVersion(release)).to.equal(`${version}+binnacle`)
      expect(previewWarning(release)).to.equal(`${release} is a preview of ${version}: what is not published yet may differ in the release`)
      expect(RELEASE_RANGE).to.equal(`1.24 to ${NEWEST_FINAL_RELEASE}, and ${release} as a preview`)
    }
  })

  it('has no warning about other releases', () => {
    for (const release of RELEASES.filter(each => PREVIEWS[each] === undefined)) {
      expect(previewWarning(release)).to.equal(undefined)
      expect(gitVersion(release)).to.equal(`v${release}.0+binnacle`)
    }
  })
})
