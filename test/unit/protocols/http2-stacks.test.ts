import { http2Conformance } from '../../conformance/http2.ts'

/** nghttp2 of Node 22 and later no longer looks at priorities. */
const LOOKS_AT_PRIORITIES = Number(process.versions.nghttp2?.split('.')[1]) < 65

http2Conformance({ stack: 'own', strict: true, skipped: {} })

http2Conformance({
  stack: 'builtin',
  strict: false,
  skipped: {
    'is ended when it begins a stream again': 'nghttp2 passes over headers of a stream that is closed',
    'is ended when it sends more than the connection’s window holds': 'Node gives the connection’s window back as bytes come',
    'is ended when it changes the table of its headers three times at once': 'nghttp2 takes any number of changes; they cost their parsing',
    ...(!LOOKS_AT_PRIORITIES && { 'is ended when it makes streams depend on themselves': 'nghttp2 passes over priorities; they cost their parsing' }),
    'is ended when it sends many priorities': 'Node tells of none that could be counted; they cost their parsing',
    'is ended when it sends many frames of an unknown type': 'Node tells of none that could be counted; they cost their parsing',
    'is ended when it widens a window for nothing that it got': 'Node tells of none that could be counted; they cost their parsing',
    'is ended when it asks without reading': 'Node reads no more until what it has written is taken',
  },
})
