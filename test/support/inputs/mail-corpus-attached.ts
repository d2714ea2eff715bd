import type { CorpusMail } from './mail-corpus.ts';
import { base64, bytes, entity, file, html, message, multipart, part, plain } from './mime-text.ts';

const CARL = { From: 'Carl <carl@example.com>', To: 'ana@example.com', Cc: 'bo@example.com', Subject: 'Invoice' };
const HEAD =
  'From: Carl <carl@example.com>\nTo: ana@example.com\nCc: bo@example.com\nDate: Mon, 4 May 2026 10:00:00 +0000\nSubject: Invoice';
const INVOICE = message(multipart('mixed', plain('Pay 42'), file('text/csv', 'in.csv', 'a,b\n1,2\n')), CARL);
const READS_INSIDE = 'it reads attached messages as part of the text';

const attached = (inner: string, fields = {}, type = 'message/rfc822') => part(type, inner, fields);
const named = (name: string) => ({ 'Content-Disposition': `attachment; filename="${name}"` });
const forward = (...parts: string[]) => message(multipart('mixed', plain('See attached mail'), ...parts));

export const FORWARDED: Record<string, CorpusMail> = {
  'with a file in it': {
    raw: forward(attached(INVOICE, named('Invoice.eml'))),
    text: 'See attached mail',
    attachments: { 1: 'Invoice.eml', '1.0.1': 'in.csv' },
    opened: { 1: `${HEAD}\n\nPay 42`, '1.0.1': 'a,b\n1,2\n' },
  },
  'inside of another one': {
    raw: forward(attached(message(multipart('mixed', plain('Look'), attached(INVOICE)), { Subject: 'Fwd: Invoice' }), named('Fwd.eml'))),
    text: 'See attached mail',
    attachments: { 1: 'Fwd.eml', '1.0.1': 'Invoice.eml', '1.0.1.0.1': 'in.csv' },
    opened: { '1.0.1': `${HEAD}\n\nPay 42`, '1.0.1.0.1': 'a,b\n1,2\n' },
  },
  'without a name': {
    raw: forward(attached(message(plain('Pay 42'), CARL))),
    text: 'See attached mail',
    attachments: { 1: 'Invoice.eml' },
    opened: { 1: `${HEAD}\n\nPay 42` },
    differs: READS_INSIDE,
  },
  'without a name and a subject': {
    raw: forward(attached(entity({ From: 'carl@example.com' }, 'Pay 42'))),
    text: 'See attached mail',
    attachments: { 1: 'unnamed' },
    opened: { 1: 'From: carl@example.com\n\nPay 42' },
    differs: READS_INSIDE,
  },
  'shown in the text': {
    raw: forward(attached(message(plain('Pay 42'), CARL), { 'Content-Disposition': 'inline' })),
    text: 'See attached mail',
    attachments: { 1: 'Invoice.eml' },
    opened: { 1: `${HEAD}\n\nPay 42` },
    differs: READS_INSIDE,
  },
  'as HTML': {
    raw: forward(attached(message(html('<p>Pay <b>42</b></p>'), CARL), named('a.eml'))),
    text: 'See attached mail',
    attachments: { 1: 'a.eml' },
    opened: { 1: `${HEAD}\n\nPay 42` },
  },
  'as flowed text': {
    raw: forward(attached(message(part('text/plain; format=flowed; delsp=yes', 'Pay 4 \n2'), CARL), named('a.eml'))),
    text: 'See attached mail',
    attachments: { 1: 'a.eml' },
    opened: { 1: `${HEAD}\n\nPay 42` },
  },
  'with encoded names': {
    raw: forward(
      attached(message(plain('x'), { ...CARL, From: '=?utf-8?Q?Doe=2C_J?= <j@example.com>', Subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=' })),
    ),
    text: 'See attached mail',
    attachments: { 1: 'Grüße.eml' },
    opened: {
      1: `${HEAD.replace('Carl <carl@example.com>', '"Doe, J" <j@example.com>').replace('Invoice', 'Grüße')}\n\nx`,
    },
    differs: READS_INSIDE,
  },
  'with addresses in UTF-8 (RFC 6532)': {
    raw: forward(attached(message(plain('x'), { ...CARL, Subject: bytes('Grüße') }), named('a.eml'), 'message/global')),
    text: 'See attached mail',
    attachments: { 1: 'a.eml' },
    opened: { 1: `${HEAD.replace('Invoice', 'Grüße')}\n\nx` },
  },
  'as the whole message': {
    raw: message(attached(INVOICE)),
    text: '',
    attachments: { root: 'Invoice.eml', '0.1': 'in.csv' },
    opened: { root: `${HEAD}\n\nPay 42`, '0.1': 'a,b\n1,2\n' },
    differs: READS_INSIDE,
  },
  'in base64, which is not allowed': {
    raw: forward(attached(base64(message(plain('Pay 42'), CARL)), { ...named('a.eml'), 'Content-Transfer-Encoding': 'base64' })),
    text: 'See attached mail',
    attachments: { 1: 'a.eml' },
    opened: { 1: `${HEAD}\n\nPay 42` },
  },
  'as a file of a program that does not know the type': {
    raw: forward(file('application/octet-stream', 'Invoice.eml', INVOICE)),
    text: 'See attached mail',
    attachments: { 1: 'Invoice.eml' },
    opened: { 1: `${HEAD}\n\nPay 42`, '1.0.1': 'a,b\n1,2\n' },
  },
  'as a file in such a file, in other charsets': {
    raw: forward(
      file(
        'application/octet-stream',
        'Fwd.eml',
        message(
          multipart(
            'mixed',
            part('text/plain; charset=iso-8859-1', 'Gr=FC=\n=DFe', { 'Content-Transfer-Encoding': 'quoted-printable' }),
            file('application/octet-stream', 'Invoice.EML', message(plain('Pay 42'), { ...CARL, Subject: 'Grüße' })),
            attached(INVOICE),
          ),
          CARL,
        ),
      ),
    ),
    text: 'See attached mail',
    attachments: { 1: 'Fwd.eml' },
    opened: {
      1: `${HEAD}\n\nGrüße`,
      '1.0.1': `${HEAD.replace('Invoice', 'Grüße')}\n\nPay 42`,
      '1.0.2': `${HEAD}\n\nPay 42`,
      '1.0.2.0.1': 'a,b\n1,2\n',
    },
  },
  'as a file, as the whole message': {
    raw: message(file('application/octet-stream', 'Invoice.eml', INVOICE)),
    text: '',
    attachments: { root: 'Invoice.eml' },
    opened: { root: `${HEAD}\n\nPay 42`, '0.1': 'a,b\n1,2\n' },
  },
  'not, by a file that is only called so': {
    raw: forward(file('application/octet-stream', 'notes.eml', 'Buy: milk\n\nNow')),
    text: 'See attached mail',
    attachments: { 1: 'notes.eml' },
    opened: { 1: 'Buy: milk\n\nNow' },
  },
  'in a digest (RFC 2046, 5.1.5)': {
    raw: message(
      multipart('digest', `\n${message(plain('one'), { Subject: 'First' })}`, `\n${message(plain('two'), { Subject: 'Second' })}`),
    ),
    text: '',
    attachments: { 0: 'First.eml', 1: 'Second.eml' },
    opened: { 1: 'From: Ana Roe <ana@example.com>\nTo: ada@example.org\nDate: Mon, 4 May 2026 10:00:00 +0000\nSubject: Second\n\ntwo' },
    differs: READS_INSIDE,
  },
  'returned as undeliverable': {
    raw: message(multipart('report', plain('Not delivered'), part('message/delivery-status', 'Action: failed\n'), attached(INVOICE))),
    text: 'Not delivered',
    attachments: { 1: 'unnamed', 2: 'Invoice.eml', '2.0.1': 'in.csv' },
    opened: { 1: 'Action: failed\n', 2: `${HEAD}\n\nPay 42` },
  },
};
