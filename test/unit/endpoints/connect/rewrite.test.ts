import { expect } from 'chai'
import { PageRewriter } from '../../../../src/endpoints/connect/html.ts'
import { rewriteUrl } from '../../../../src/endpoints/connect/rewrite.ts'
import { escapePath, joinKeepingSlash, joinPaths, parseUrl, printUrl } from '../../../../src/lib/url.ts'

const place = { prefix: '/proxy/pod', origin: '10.0.0.1:8080', asked: 'localhost:8001' }

describe('rewriteUrl', () => {
  const links: [name: string, link: string, wanted: string][] = [
    ['an absolute path', '/a/b', '/proxy/pod/a/b'],
    ['a path with a slash at its end', '/a/', '/proxy/pod/a/'],
    ['the root', '/', '/proxy/pod/'],
    ['query and fragment', '/a?b=/c#/d', '/proxy/pod/a?b=/c#/d'],
    ['escapes', '/a%20b%2Fc', '/proxy/pod/a%20b/c'],
    ['dots', '/a/../b', '/proxy/pod/b'],
    ['a path that is there already', '/proxy/pod/a', '/proxy/pod/a'],
    ['a relative path', 'a/b', 'a/b'],
    ['a fragment', '#a', '#a'],
    ['nothing', '', ''],
    ['another scheme', 'mailto:a@b', 'mailto:a@b'],
    ['another host', 'http://example.com/a', 'http://example.com/a'],
    ['another host without a scheme', '//example.com/a', '//example.com/a'],
    ['the pod itself', 'http://10.0.0.1:8080/a', '/proxy/pod/a'],
    ['the host of the request', 'https://localhost:8001/a', 'https://localhost:8001/proxy/pod/a'],
    ['no URL', '/%zz', '/%zz'],
    ['no text', '/%ff', '/%ff'],
  ]
  for (const [name, link, wanted] of links) it(`${name}: ${link}`, () => expect(rewriteUrl(link, place)).to.equal(wanted))
})

describe('PageRewriter', () => {
  const pages: [name: string, page: string, wanted: string][] = [
    ['an anchor', '<a href="/x">/x</a>', '<a href="=/x=">/x</a>'],
    ['capitals and spaces', "<A class=a\n HREF = '/x' >", `<A class=a\n HREF = "=/x=" >`],
    ['without quotes', '<img src=/x alt=y>', '<img src="=/x=" alt=y>'],
    ['several attributes', '<input src="/a" formaction="/b" value="/c">', '<input src="=/a=" formaction="=/b=" value="/c">'],
    ['an element that closes itself', '<link href="/x"/>', '<link href="=/x="/>'],
    ['entities', '<a href="/x?a&amp;b">', '<a href="=/x?a&amp;b=">'],
    ['a sign in an attribute', '<a title="a>b" href="/x">', '<a title="a>b" href="=/x=">'],
    ['an attribute of another element', '<p href="/x">', '<p href="/x">'],
    ['an attribute whose name ends alike', '<a data-href="/x">', '<a data-href="/x">'],
    ['a comment', '<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="=/y=">'],
    ['a script', '<script src="/s">"<a href=/x>"</script><a href="/y">', '<script src="=/s=">"<a href=/x>"</script><a href="=/y=">'],
    ['text', 'a < b, href="/x"', 'a < b, href="/x"'],
    ['a tag that does not end', '<a href="/x"', '<a href="=/x="'],
    ['a link that does not end', '<a href="/x', '<a href="/x'],
    ['a comment that does not end', '<!-- <a href="/x">', '<!-- <a href="/x">'],
    ['a script that does not end', '<script><a href="/x">', '<script><a href="/x">'],
    ['a quote that does not end', '<a title="x><a href="/x">', '<a title="x><a href="/x">'],
    ['no space between attributes', '<a title="x"href="/x">', '<a title="x"href="=/x=">'],
    ['no value', '<a href><a href=><a href="/x">', '<a href><a href=><a href="=/x=">'],
    ['a declaration', '<!doctype html><!-<a href="/x">', '<!doctype html><!-<a href="=/x=">'],
    ['signs without a name', '<<a href="/x"><>< ', '<<a href="=/x="><>< '],
    ['a link that stays', "<a href='/keep'>", "<a href='/keep'>"],
    ['an element of a name that objects have', '<constructor href="/x">', '<constructor href="/x">'],
  ]
  const rewrite = (link: string): string => (link === '/keep' ? link : `=${link}=`)
  /** Rewrites a page in chunks of this length. */
  const rewritten = (page: string, length = page.length): string => {
    const rewriter = new PageRewriter(rewrite)
    const parts: Buffer[] = []
    for (let at = 0; at < page.length; at += length) {
      rewriter.push(Buffer.from(page.slice(at, at + length), 'latin1'))
      while (rewriter.isBehind) parts.push(rewriter.step())
    }
    return Buffer.concat([...parts, rewriter.finish()]).toString('latin1')
  }
  for (const [name, page, wanted] of pages)
    it(name, () => {
      expect(rewritten(page)).to.equal(wanted)
      for (const length of [1, 2, 3, 7]) expect(rewritten(page, length), `in chunks of ${length}`).to.equal(wanted)
    })

  it('preserves everything else byte by byte', () => {
    const page = `${'\xff\x80 text '.repeat(20_000)}<a href="/x">${'\n<p>'.repeat(50_000)}<a href='/y'>`
    const wanted = page.replace('"/x"', '"=/x="').replace("'/y'", '"=/y="')
    for (const length of [page.length, 1000]) expect(rewritten(page, length)).to.equal(wanted)
  })

  it('rewrites the first of several attributes with the same name only', () =>
    expect(rewritten('<a href="/x" href="/y">')).to.equal('<a href="=/x=" href="/y">'))

  it('does not rewrite links longer than 64 KiB', () => {
    const page = `<img src="/${'x'.repeat(70_000)}"><img src="/y">`
    for (const length of [page.length, 60_000, 10]) expect(rewritten(page, length)).to.equal(page.replace('"/y"', '"=/y="'))
  })

  /** Texts of a page that once caused a long turn when they were repeated. */
  const hostile = [
    '<',
    '<a',
    '<a ',
    '<a "',
    "<a href='",
    '<a href=" ',
    '<a href=/>',
    '<a href=/ ',
    '<!--',
    '<!-->',
    '-',
    '</script',
    '<script>',
    '<a x="y" ',
    '<b>',
    ' ',
  ]
  for (const part of hostile)
    it(`limits the bytes and links of a step in a page that repeats ${JSON.stringify(part)}`, () => {
      const page = Buffer.from(`<a ${part.repeat(Math.ceil(400_000 / part.length))}`)
      let links = 0
      let most = 0
      const rewriter = new PageRewriter(link => {
        links++
        return `/prefix${link}`
      })
      rewriter.push(page)
      let written = 0
      while (rewriter.isBehind) {
        links = 0
        const { length } = rewriter.step()
        most = Math.max(most, links)
        written += length
      }
      expect(written + rewriter.finish().length).to.be.at.least(page.length)
      expect(most).to.be.at.most(64)
    })
})

describe('URLs', () => {
  for (const text of ['', 'a', '/a', 'http://h', 'http://h:1/p?q#f', '//h/p', '?q', '#f', 'a:b', '/p?', 'http://[::1]:80/'])
    it(`are printed as they were parsed: ${text}`, () =>
      expect(printUrl(parseUrl(text) as NonNullable<ReturnType<typeof parseUrl>>)).to.equal(text))
  for (const text of ['/%', '/%0', '/%zz', '/a\nb'])
    it(`are refused: ${JSON.stringify(text)}`, () => expect(parseUrl(text)).to.equal(undefined))

  it('have paths escaped as in Go', () =>
    expect(escapePath("/a b?#%ü'!*()$&+,:;=@~-_.")).to.equal('/a%20b%3F%23%25%C3%BC%27%21%2A%28%29$&+,:;=@~-_.'))

  const joins: [parts: string[], wanted: string][] = [
    [[], ''],
    [['', ''], ''],
    [['/'], '/'],
    [['a', 'b'], 'a/b'],
    [['/a/', '/b/'], '/a/b'],
    [['/a', '../../..', 'b'], '/b'],
    [['a', '../../b'], '../b'],
    [['a', '..'], '.'],
    [['/a//b/./c'], '/a/b/c'],
  ]
  for (const [parts, wanted] of joins) it(`are joined: ${JSON.stringify(parts)}`, () => expect(joinPaths(...parts)).to.equal(wanted))
  it('keep a trailing slash on request', () => {
    expect(joinKeepingSlash('/a/')).to.equal('/a/')
    expect(joinKeepingSlash('/a/', 'b')).to.equal('/a/b')
    expect(joinKeepingSlash('/a', 'b/', '')).to.equal('/a/b/')
    expect(joinKeepingSlash('/')).to.equal('/')
    expect(joinKeepingSlash('')).to.equal('')
  })
})
