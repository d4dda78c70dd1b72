// Reading lists of names in each documented format, including aliases; a file that cannot be read is refused
// as a whole.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListFormat, readListFile, UnreadableList } from '#screening/list-files.ts'

const read = (format: ListFormat, text: string) => readListFile(format, Buffer.from(text))

const UN = `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-11-01T00:00:00">
  <INDIVIDUALS>
    <INDIVIDUAL>
      <DATAID>6908555</DATAID><VERSIONNUM>1</VERSIONNUM>
      <FIRST_NAME>IBRAHIM</FIRST_NAME><SECOND_NAME>MUSA</SECOND_NAME><THIRD_NAME/>
      <UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>
      <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Abu Example</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
    </INDIVIDUAL>
  </INDIVIDUALS>
  <ENTITIES>
    <ENTITY>
      <DATAID>110403</DATAID><FIRST_NAME>Example Trading</FIRST_NAME>
      <ENTITY_ALIAS><ALIAS_NAME>Exatrade</ALIAS_NAME></ENTITY_ALIAS>
    </ENTITY>
  </ENTITIES>
</CONSOLIDATED_LIST>`

const OFAC = `<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
  <publshInformation><Publish_Date>11/01/2026</Publish_Date></publshInformation>
  <sdnEntry><uid>36</uid><lastName>EXAMPLE AIRWAYS</lastName><sdnType>Entity</sdnType>
    <akaList><aka><uid>12</uid><type>a.k.a.</type><lastName>AERO-EXAMPLE</lastName></aka></akaList>
  </sdnEntry>
  <sdnEntry><uid>2674</uid><firstName>Abu</firstName><lastName>EXAMPLE</lastName></sdnEntry>
</sdnList>`

test('the UN’s consolidated list is read with aliases, empty parts left out', async () => {
  assert.deepEqual(await read('un_xml', UN), [
    { id: '6908555', names: ['IBRAHIM MUSA', 'Abu Example'] },
    { id: '110403', names: ['Example Trading', 'Exatrade'] },
  ])
})

test('OFAC’s SDN.XML and SDN.CSV are read', async () => {
  assert.deepEqual(await read('ofac_xml', OFAC), [
    { id: '36', names: ['EXAMPLE AIRWAYS', 'AERO-EXAMPLE'] },
    { id: '2674', names: ['Abu EXAMPLE'] },
  ])
  const csv =
    '36,"EXAMPLE AIRWAYS",-0- ,"CUBA",-0- \r\n2674,"EXAMPLE, Abu","individual","SDGT",-0- \r\n\u001a'
  assert.deepEqual(await read('ofac_csv', csv), [
    { id: '36', names: ['EXAMPLE AIRWAYS'] },
    { id: '2674', names: ['EXAMPLE, Abu'] },
  ])
})

test('an entry that is in a file twice is one entry, with the names of both', async () => {
  const twice = OFAC.replace('<uid>2674</uid>', '<uid>36</uid>')
  assert.deepEqual(await read('ofac_xml', twice), [
    { id: '36', names: ['EXAMPLE AIRWAYS', 'AERO-EXAMPLE', 'Abu EXAMPLE'] },
  ])
})

test('lines of one id in your own CSV are names of one entry', async () => {
  assert.deepEqual(await read('csv', 'id,name\n1,Ada Example\n2,Bola Example\n1,Ada Sample\n'), [
    { id: '1', names: ['Ada Example', 'Ada Sample'] },
    { id: '2', names: ['Bola Example'] },
  ])
})

const REFUSED: [ListFormat, string, RegExp][] = [
  ['csv', '', /columns/],
  ['csv', 'id,name\n', /no entries/],
  ['csv', 'name,id\nAda,1\n', /columns/],
  ['csv', 'id,name\n1,\n', /Line 2: entry 1 has no name/],
  ['csv', 'id,name\n,Ada\n', /Line 2: the entry has no id/],
  ['csv', `id,name\n1,${'a'.repeat(401)}\n`, /too long/],
  ['csv', 'id,name\n1,"Ada\n', /Quote/],
  ['un_xml', OFAC, /must be CONSOLIDATED_LIST/],
  ['un_xml', UN.slice(0, -30), /well-formed/],
  ['un_xml', UN.replace('<DATAID>110403</DATAID>', ''), /no id/],
  ['ofac_xml', '<!DOCTYPE a><sdnList/>', /DOCTYPE/],
  ['ofac_csv', '36,-0- \r\n', /no name/],
]

for (const [at, [format, text, message]] of REFUSED.entries()) {
  test(`a ${format} file that cannot be read is refused with the reason (${at + 1})`, async () => {
    await assert.rejects(
      read(format, text),
      (error) => error instanceof UnreadableList && message.test(error.message),
    )
  })
}

test('bytes that are not text are refused', async () => {
  const bytes = Buffer.from([0x69, 0x64, 0xff, 0xfe, 0x00])
  for (const format of ['csv', 'un_xml'] as const) {
    await assert.rejects(readListFile(format, bytes), UnreadableList)
  }
})
