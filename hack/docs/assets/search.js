// The search of the documentation. Without scripts its field stays hidden, and everything else works.
;(() => {
  const search = document.querySelector('.search')
  const field = search.querySelector('input')
  const results = search.querySelector('ol')
  const root = search.dataset.root
  const MOST = 20
  search.hidden = false

  /** How well a section fits a search: 0 if a word is nowhere in it. Words of headings count more. */
  const rank = ([, page, heading, words], wanted) => {
    const title = `${page} ${heading}`.toLowerCase()
    let sum = 0
    for (const word of wanted) {
      if (title.includes(word)) sum += 10
      else if (` ${words} `.includes(` ${word} `)) sum += 3
      else if (words.includes(word)) sum += 1
      else return 0
    }
    return sum
  }

  const show = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    const index = window.searchIndex ?? []
    const found = wanted.length === 0 ? [] : index.map(entry => [rank(entry, wanted), entry]).filter(([sum]) => sum > 0)
    // Pages for users stand before decisions and the folders of the source.
    found.sort(([a, first], [b, second]) => first[4] - second[4] || b - a)
    results.replaceChildren(
      ...found.slice(0, MOST).map(([, [address, page, heading]]) => {
        const item = document.createElement('li')
        const link = document.createElement('a')
        link.href = root + address
        link.textContent = heading === '' ? page : `${page}: ${heading}`
        item.append(link)
        return item
      }),
    )
    if (wanted.length > 0 && found.length === 0 && window.searchIndex) results.textContent = 'Nothing found'
  }

  // From a file only scripts can be loaded, so the index is one. It is loaded when it is first needed.
  field.addEventListener('focus', () => {
    if (search.dataset.loaded) return
    search.dataset.loaded = 'true'
    const script = document.createElement('script')
    script.src = `${root}search-index.js`
    script.addEventListener('load', show)
    document.head.append(script)
  })
  field.addEventListener('input', show)
  search.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    field.value = ''
    show()
  })
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return
    event.preventDefault()
    field.focus()
  })
})()
