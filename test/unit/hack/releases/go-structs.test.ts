import { expect } from 'chai'
import { readGoTypes } from '../../../../hack/releases/go-structs.ts'

const TEXT = `
// +enum
type Color string

const (
	Red  Color = "Red"
	Blue Color = "Blue"
)

// Book is a book.
type Book struct {
	metav1.TypeMeta \`json:",inline"\`
	// +optional
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`

	// color of the cover.
	// +featureGate=Covers
	// +optional
	// +default="Red"
	Color *Color \`json:"color,omitempty" protobuf:"bytes,2,opt,name=color"\`
	// +required
	Pages int32 \`json:"pages" protobuf:"varint,3,opt,name=pages"\`
	// +listType=map
	// +listMapKey=name
	// +patchStrategy=merge
	// +patchMergeKey=name
	Parts []Part \`json:"parts,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,4,rep,name=parts"\`
	Lent map[string]metav1.Time \`json:"lent" protobuf:"bytes,5,rep,name=lent"\`
	Group *schedulingv1alpha3.Group \`json:"group" protobuf:"bytes,6,opt,name=group"\`
	hidden string
}

// +structType=atomic
type Part struct{}

type Empty struct {}
`

describe('types of a Go file', () => {
  const { structs, enums } = readGoTypes(TEXT)

  it('become declarations', () => {
    const book = structs.get('Book')
    expect([book?.head, ...(book?.fields ?? []).map(({ line }) => line)]).to.deep.equal([
      'type Book typemeta',
      'metadata 1 meta.ObjectMeta?',
      'color 2 *Color? gate(Covers) = "Red"',
      'pages 3 int32',
      'parts 4 []Part? map(name) merge(name)',
      'lent 5 map[string]Time',
      'group 6 *schedulingV1alpha3.Group',
    ])
    expect(structs.get('Empty')).to.deep.equal({ name: 'Empty', head: 'type Empty', fields: [] })
  })

  it('have the values of enums, sorted', () => expect([...enums]).to.deep.equal([['Color', ['Blue', 'Red']]]))
})
