/** A language, the charsets that its texts are in besides UTF-8, and words by which it is told from others. */
export interface Language {
  charsets: readonly string[];
  /** Frequent ones, and those of letters and file names; all letters occur. */
  words: string;
}

const WESTERN = ['windows-1252'];
const CENTRAL = ['windows-1250', 'iso-8859-2'];

/** Languages with alphabets. Of two that fit equally, the first is taken. */
export const LANGUAGES: readonly Language[] = [
  {
    charsets: WESTERN,
    words:
      'für über Grüße Gruß schöne können möchte würde müssen natürlich später nächste früh größe straße heißt weiß außer während Änderung Übersicht Öffnung München Zürich Köln Müller Schröder Jürgen Büro Bücher Käse Mädchen höher hören grün ändern zurück Tür Äpfel Ärzte Übung Ölpreis fünf zwölf schließen Anhänge gültig mögen führen und der die das nicht ist mit von auf ein eine',
  },
  {
    charsets: WESTERN,
    words:
      'à été après très déjà même être où ça français première année réponse télécharger pièce jointe numéro téléphone café crème élève école Éric hôtel île août gâteau forêt fenêtre dépôt sûr reçu leçon garçon cœur sœur œuvre noël maïs résumé privé général société prénom équipe février décembre à bientôt événement nécessaire hé le la les des et que est dans pour',
  },
  {
    charsets: WESTERN,
    words:
      'mañana año niño señor España español más qué cómo también aquí está después así día número teléfono reunión información dirección situación corazón adiós árbol índice útil último año pingüino miércoles sábado José María García Muñoz Peña según además él sí sólo días años pequeño compañía ¿qué ¡hola canción el la los de que en un por con para una su',
  },
  {
    charsets: WESTERN,
    words:
      'não você então amanhã São João também é está às atenção informação situação coração avô avó três mês inglês português endereço preço serviço começar página número opções reuniões ações relatórios Conceição mãe irmão pão água último possível à pôr será obrigação manhã até já só fácil código ano de que em para com uma os no se na por mais',
  },
  {
    charsets: WESTERN,
    words:
      'è perché più così può città già però sarà università qualità venerdì lunedì papà libertà verità né caffè il di che la per un una non sono con del alla',
  },
  {
    charsets: WESTERN,
    words:
      'på är för och också från över får själv möte måndag lördag söndag två år går när där här åt återkommer öppna Göteborg Malmö ändå kärlek vänlig hälsning förslag bifogar att det som en i på är av med den til ikke på også når får så være København søndag lørdag træ grøn øl ål Århus æble Ærø ønske køb første næste måned ærlig hvornår forår kærlig møde vedhæftet språk Malmø Tromsø blå små våre øye kjære spørsmål å være gjøre',
  },
  {
    charsets: WESTERN,
    words:
      'þetta það þú ég ekki sæl góðan daginn takk fyrir já við Ísland Reykjavík því þá þegar hún bíó úr ný öll één geïnteresseerd coördinatie België financiële ideeën Zoë vóór reünie officiële categorieën het een van is dat niet zijn aan op voor met',
  },
  {
    charsets: WESTERN,
    words:
      'hyvää päivää tämä mitä että myös sähköposti tänään kiitos yhtä lähettää liitettä työ pöytä äiti isä Jyväskylä Hämeenlinna terveisiä öljy ja on ei se että oli hän mutta niin kun ovat',
  },
  {
    charsets: ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866'],
    words:
      'и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой что от со для о так как привет мир спасибо здравствуйте добрый день вечер утро до свидания пожалуйста письмо файл отчёт договор документ сегодня завтра вчера время год человек дело жизнь рука работа слово место вопрос лицо друг глаз страна город Россия Москва текст тест проверка цена имя фамилия адрес телефон номер счёт оплата сумма рублей товар заказ список объект съезд большой новый первый хорошо можно нужно если когда где уже ещё только себя есть был была было были меня тебя его её их нас вас ты вы мой твой наш ваш будет очень один два три встреча уважением ящик щука эхо юбилей шлюз жёлтый цифра чем февраль январь март апрель июнь июль август',
  },
  {
    charsets: ['windows-1251', 'koi8-u', 'iso-8859-5'],
    words:
      'і в не на що з у та як до є це він вона вони ми ви за від про але привіт світ дякую добрий день вечір ранок будь ласка лист файл звіт договір документ сьогодні завтра вчора час рік людина життя робота слово місце питання Україна Київ місто їх її зустріч повагою щоб також більше дуже якщо коли де вже ще тільки був була було були мене тебе його нас вас мій твій наш ваш буде один два три ґанок її їжа об єкт',
  },
  {
    charsets: ['windows-1253', 'iso-8859-7'],
    words:
      'και το να του η της με που την από για ο τα τον οι στο είναι δεν θα στην των μου σας μας καλημέρα καλησπέρα γεια σου ευχαριστώ παρακαλώ κόσμε κόσμος ημέρα σήμερα αύριο χθες ώρα χρόνος άνθρωπος ζωή δουλειά λέξη ερώτηση Ελλάδα Αθήνα πόλη αρχείο έγγραφο κείμενο αριθμός τηλέφωνο διεύθυνση όνομα τιμή μήνυμα συνάντηση πολύ καλά αυτό αυτή ένα μία δύο τρία όχι ναι πώς ψυχή ξένος φίλος βιβλίο ζέστη ύδωρ ήταν έχω ΐ ϊ Άννα Έλενα Όλα Ήταν Ώρα Ύψος',
  },
  {
    charsets: ['windows-1255', 'iso-8859-8'],
    words:
      'של את על לא זה הוא עם אני כל היה שלום עולם תודה בוקר טוב ערב לילה יום מה מי איך למה כן אנחנו אתה אתם היא הם יש אין גם רק עוד אבל כי אם או היום מחר אתמול זמן שנה איש חיים עבודה מילה שאלה ישראל ירושלים תל אביב עיר קובץ מסמך טקסט מספר טלפון כתובת שם מחיר הודעה פגישה בבקשה מאוד טובה ספר אחד שתיים שלוש צהריים ץףךןם גדול קטן דבר',
  },
  {
    charsets: ['windows-1256', 'iso-8859-6'],
    words:
      'في من على إلى أن هذا هذه التي الذي مع كان كل لا ما هو هي مرحبا بالعالم العالم السلام عليكم شكرا صباح الخير مساء اليوم غدا أمس وقت سنة إنسان حياة عمل كلمة سؤال مصر القاهرة مدينة ملف مستند نص رقم هاتف عنوان اسم سعر رسالة اجتماع من فضلك جدا جيد كتاب واحد اثنان ثلاثة نعم بعد قبل بين عن ذلك أو ثم حتى إذا لم لن قد كما عند غير خطة ظهر ضوء غرفة قلب شيء آخر مسؤول طائرة زيارة',
  },
  {
    charsets: ['windows-874'],
    words:
      'สวัสดี ครับ ค่ะ ขอบคุณ และ ที่ ใน เป็น ของ ไม่ มี ได้ ให้ ว่า จะ การ ไป มา กับ นี้ คน วัน เวลา งาน ประเทศไทย ภาษาไทย กรุงเทพ เอกสาร ไฟล์ ข้อความ ชื่อ ที่อยู่ โทรศัพท์ หมายเลข ราคา ประชุม พรุ่งนี้ เมื่อวาน ปี เดือน ความ อยู่ จาก โดย ผู้ ก็ แล้ว แต่ ถ้า หรือ อย่าง มาก ดี ใหม่ หนึ่ง สอง สาม เรา เขา คุณ ผม ฉัน รายงาน บริษัท ซื้อ ขาย เงิน บาท โลก ธุรกิจ ศึกษา สุข ทำ ทุก ต้อง ณฝฟฐญฎฏฌฆฒฬฮฯๆ',
  },
  {
    charsets: ['windows-1254'],
    words:
      'bir ve bu için çok değil ile daha olarak günaydın teşekkürler teşekkür ederim merhaba dünya İstanbul Türkiye Türkçe şehir bugün yarın dün zaman yıl kişi hayat iş soru dosya belge metin sayı numara adres isim fiyat ileti toplantı lütfen iyi güzel kitap üç dört şu şey sağ ağaç doğru öğrenci kız ısı ılık ığ değişiklik görüşmek üzere saygılarımla çağrı müşteri Şubat Ağustos Eylül Kasım Aralık Öğle Ümit Çağlar Işık Ğ İzmir sonuç başlangıç',
  },
  {
    charsets: CENTRAL,
    words:
      'się że jest dzień dobry dziękuję proszę cześć wszystko już także może będzie są być który które pieniądze miesiąc tydzień książka mąż żona dziecko załącznik zażółć gęślą jaźń Łódź Kraków Wrocław Gdańsk łączny świat źródło ósmy ćwiczenie żółw pozdrowienia umowa spółka właśnie trochę więcej mówić pójść człowiek zespół wiadomość sprawozdanie nie na to w z do i jak ale po co tak za od czy tylko dla',
  },
  {
    charsets: CENTRAL,
    words:
      'že je dobrý den děkuji prosím ahoj světe příliš žluťoučký kůň úpěl ďábelské ódy český čeština Praha město člověk také už ještě může být který které více než příloha zpráva schůzka zítra včera měsíc týden účet číslo jméno říct řeka středa čtvrtek pátek září říjen květen červen únor přátelským pozdravem Šárka Žižka Řehoř Čapek Ďáblice Ťuk Ň Ústí ň ť ľ ĺ ŕ ô ä vážený ďakujem ľudia mäso kôň tiež čo sa na nie áno zajtra včera stredný môže',
  },
  {
    charsets: CENTRAL,
    words:
      'és hogy nem egy köszönöm jó reggelt napot szia világ árvíztűrő tükörfúrógép magyar Magyarország Győr idő férfi nő szó kérdés válasz fájl dokumentum szöveg szám cím név ár üzenet találkozó kérem nagyon szép könyv első három öt hét év óra múlt jövő holnap tűz fű bőr őszi űrlap Őri Űr Ö Ü Ó Á É í ú üdvözlettel melléklet megjegyzés általános először később a az van meg',
  },
  {
    charsets: CENTRAL,
    words:
      'și şi să în că mulţumesc bună ziua dimineaţa lume România Bucureşti oraş astăzi mâine când întâlnire fişier număr adresă preţ mesaj vă rog foarte cărţi trei şase şapte împreună însă între ţară Ţara Şcoală Înainte Âncă viaţa de la cu pe este nu din care šta će čovjek želim još može biti život riječ također hvala đak Đuro Žarko Šime Čačak Ćiro Zagreb šest također već gdje je da se na',
  },
  {
    charsets: ['windows-1257', 'iso-8859-13'],
    words:
      'ačiū labas rytas Lietuva šiandien rytoj žmogus gyvenimas žodis Vilnius ir yra kad iš už į ąžuolas ėjo ūkis prašau taip dėl susitikimas žinutė paldies labrīt Latvija šodien cilvēks dzīve vārds Rīga ir ka nē jā ļoti ķīmija ņemt ģimene Ģ Ķ Ļ Ņ Š Ž Č ziņa tikšanās täna hommikust aitäh õhtu Eesti Tõnu võib üks öö ja on',
  },
];

/** A language whose characters take two bytes. */
export interface EastAsian {
  charset: string;
  /** Its most frequent characters. */
  frequent: string;
  /** The first bytes of the characters that are in daily use; those behind are rare. */
  daily: readonly [number, number];
}

const SIMPLIFIED =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运您谢请试测附邮息早晚午明昨周附价单号码';
const TRADITIONAL =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡裏用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運您謝請試測附郵息早晚午昨週價單號碼灣臺台';
const JAPANESE =
  '日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賞訴辺造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達お様添承致';
const KOREAN =
  '이다는을에의가고하지은를한로도기사서어리자인나대시그것있해수정스일아보들전으게부안주라장제상여세구마적무성소만면러연방경과유우거비생원공니모음물없식신등화동국위오미관말당습진재계되던학교요개같터조때년선중문호치간실체차회분통내산월금최더두바양각건포트행려명결발저반심녕감합일메파첨부목번름소격드립합까네예씨님김박최윤임홍길';

export const EAST_ASIAN: readonly EastAsian[] = [
  { charset: 'gb18030', frequent: SIMPLIFIED, daily: [0xb0, 0xd7] },
  { charset: 'big5', frequent: TRADITIONAL, daily: [0xa4, 0xc6] },
  { charset: 'shift_jis', frequent: JAPANESE, daily: [0x88, 0x97] },
  { charset: 'euc-jp', frequent: JAPANESE, daily: [0xb0, 0xcf] },
  { charset: 'euc-kr', frequent: KOREAN, daily: [0xb0, 0xc8] },
];
