import { http2Conformance } from '../../conformance/http2.ts'

/** nghttp2 of Node 22 and later no longer looks at priorities. */
const LOOKS_AT_PRIORITIES = Number(process.versions.nghttp2?.split('.')[1]) < 65

http2Conformance({ stack: 'own', strict: true, skipped: {} })

http2Conformance({
  stack: 'builtin',
  strict: false,
  skipped: {
    'is closed when the client begins a stream again': 'nghttp2 passes over headers of a stream that is closed',
    'is closed when the client sends more than the connection’s window holds': 'Node gives the connection’s window back as bytes come',
    'is closed when the client changes the size of its header table three times in a block':
      'nghttp2 takes any number of changes; they cost their parsing',
    ...(!LOOKS_AT_PRIORITIES && {
      'is closed when the client makes streams depend on themselves': 'nghttp2 passes over priorities; they cost their parsing',
    }),
    'is closed when the client sends many priorities': 'Node tells of none that could be counted; they cost their parsing',
    'is closed when the client sends many frames of an unknown type': 'Node tells of none that could be counted; they cost their parsing',
    'is closed when the client widens a window for nothing that it got':
      'Node tells of none that could be counted; they cost their parsing',
    'is closed when the client sends requests without reading': 'Node reads no more until what it has written is taken',
  },
})
