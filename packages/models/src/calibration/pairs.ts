/**
 * What the two texts of a pair have to do with each other.
 * - `answers`: a question and the stored fact that answers it, as a sentence or as `key: value`
 * - `same`: one fact, said twice in other words
 * - `different`: nearly the same words, another fact: a number, a name, a negation. Taking one for the other would
 *   lose a memory
 * - `related`: facts of one subject that both hold
 * - `unrelated`: nothing in common
 */
export type PairKind = 'answers' | 'same' | 'different' | 'related' | 'unrelated';

export type Language = 'en' | 'de' | 'zh';

export type CalibrationPair = Readonly<{
  kind: PairKind;
  language: Language;
  texts: readonly [string, string];
}>;

type Texts = readonly (readonly [string, string])[];

const EN_ANSWERS: Texts = [
  ['What is my favourite colour?', 'favourite colour: dark green'],
  ['Which colour do I like best?', 'The user likes the colour dark green best.'],
  ['Where do I live?', 'The user lives in Utrecht.'],
  ['Which city is my home?', 'home city: Utrecht'],
  ['What is my dog called?', 'dog name: Bruno'],
  ['Do I have any pets?', 'The user has a dog called Bruno.'],
  ['What do I do for a living?', 'The user works as a nurse in a children’s hospital.'],
  ['What is my job?', 'job: structural engineer'],
  ['Where do I work?', 'employer: city library'],
  ['Am I allergic to anything?', 'The user is allergic to peanuts.'],
  ['Which food should I avoid?', 'The user is allergic to peanuts.'],
  ['What can I cook for dinner?', 'diet: vegetarian'],
  ['Do I eat meat?', 'The user is a vegetarian.'],
  ['When is my birthday?', 'birthday: 14 March'],
  ['How old am I?', 'age: 42'],
  ['What is my wife’s name?', 'The user is married to Ingrid.'],
  ['How many children do I have?', 'The user has two children, a son and a daughter.'],
  ['What are my kids called?', 'children: Mira and Jonas'],
  ['Which car do I drive?', 'car: an old Volvo estate'],
  ['Which programming language do I prefer?', 'The user prefers Python for scripting.'],
  ['Which editor do I use?', 'editor: Vim'],
  ['Which database does my project use?', 'The project stores its data in Postgres.'],
  ['What operating system do I run?', 'operating system: Debian Linux'],
  ['What music do I like?', 'The user listens to jazz and plays the trumpet.'],
  ['Do I play an instrument?', 'instrument: trumpet'],
  ['What sport do I do?', 'The user goes rowing twice a week.'],
  ['What are my hobbies?', 'hobbies: rowing, chess and baking bread'],
  ['Where did I go on holiday last year?', 'The user spent last summer’s holiday in Portugal.'],
  ['Which trips am I planning?', 'The user plans to travel to Japan in April.'],
  ['Which languages do I speak?', 'languages: Dutch, English and some Japanese'],
  ['What am I learning at the moment?', 'The user is learning Japanese.'],
  ['What did I study?', 'The user studied chemistry at university.'],
  ['What is my goal this year?', 'goal: run a half marathon in autumn'],
  ['How do I take my coffee?', 'The user drinks coffee black, without sugar.'],
  ['What do I like to drink in the morning?', 'The user drinks coffee black, without sugar.'],
  ['Which film do I like most?', 'favourite film: Spirited Away'],
  ['What is my favourite book?', 'The user’s favourite book is Moby Dick.'],
  ['How do I want answers to be written?', 'The user wants short answers without small talk.'],
  ['What time do I get up?', 'The user gets up at half past five.'],
  ['When do I have my weekly meeting?', 'The team meeting is every Tuesday at ten.'],
  ['What size are my shoes?', 'shoe size: 43'],
  ['Who is my best friend?', 'The user’s best friend is Tomas.'],
  ['Where does my sister live?', 'The user’s sister lives in Oslo.'],
  ['What does my brother do?', 'The user’s brother is a carpenter.'],
  ['Where was I born?', 'birthplace: Ghent'],
  ['How tall am I?', 'height: 1.82 m'],
  ['Do I smoke?', 'The user gave up smoking in 2019.'],
  ['Which medicine do I take?', 'The user takes insulin twice a day.'],
  ['When did I get married?', 'The user married Ingrid in June 2015.'],
  ['What is the name of my company?', 'The user founded a bakery called Morning Star.'],
  ['How do I get to work?', 'The user cycles to work every day.'],
  ['What is my cat afraid of?', 'The user’s cat is afraid of thunder.'],
  ['Which wine do I like?', 'favourite wine: dry Riesling'],
  ['What did we decide about the deployment?', 'The team decided to deploy every Friday morning.'],
  ['Which cloud provider do we use?', 'The project runs on servers in its own cellar.'],
  ['What should I bring to the party?', 'The user promised to bake a cake for the party.'],
  ['When is my dentist appointment?', 'The user sees the dentist on 3 May at nine.'],
  ['What is my mother’s name?', 'mother: Johanna'],
  ['What annoys me at work?', 'The user dislikes long meetings.'],
  ['Which team do I support?', 'The user is a supporter of FC Utrecht.'],
];

const EN_SAME: Texts = [
  ['The user lives in Utrecht.', 'The user lives in Utrecht'],
  ['The user is allergic to peanuts.', 'User is allergic to peanuts.'],
  ['favourite colour: dark green', 'favourite color: dark green'],
  ['The user has a dog called Bruno.', 'The user has a dog named Bruno.'],
  ['The user drinks coffee black, without sugar.', 'The user drinks black coffee without sugar.'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is on Tuesdays at ten.'],
  ['The user lives in Utrecht.', 'Utrecht is where the user lives.'],
  ['The user works as a nurse.', 'The user is a nurse by profession.'],
  ['The user has two children.', 'The user is a parent of two.'],
  ['The user is married to Ingrid.', 'Ingrid is the user’s wife.'],
  ['The user does not eat meat.', 'The user is a vegetarian.'],
  ['The user cycles to work.', 'The user goes to work by bicycle.'],
  ['The user was born in 1983.', 'The user’s year of birth is 1983.'],
  ['The user prefers Python for scripting.', 'For scripts the user likes Python best.'],
  ['The user plans to travel to Japan in April.', 'In April the user wants to go to Japan.'],
  ['The user’s favourite book is Moby Dick.', 'The user likes Moby Dick more than any other book.'],
  ['The user is learning Japanese.', 'The user takes Japanese lessons.'],
  ['The user gets up at half past five.', 'The user rises at 5:30.'],
  ['The user dislikes long meetings.', 'The user doesn’t like meetings that take long.'],
  ['The user owns a bakery.', 'The user is the owner of a bakery.'],
  ['The project stores its data in Postgres.', 'Postgres is the database of the project.'],
  ['The user goes rowing twice a week.', 'Two times a week the user rows.'],
  ['The user gave up smoking in 2019.', 'The user has not smoked since 2019.'],
  ['The user’s sister lives in Oslo.', 'The user has a sister who lives in Oslo.'],
  ['The user wants short answers.', 'The user prefers brief replies.'],
  ['The user studied chemistry.', 'The user has a degree in chemistry.'],
  ['job: nurse', 'The user’s job is nurse.'],
  ['home: Utrecht', 'The user lives in Utrecht.'],
];

const EN_DIFFERENT: Texts = [
  ['The user lives in Utrecht.', 'The user lives in Rotterdam.'],
  ['The user lives in Berlin.', 'The user lives in Munich.'],
  ['The user likes coffee.', 'The user does not like coffee.'],
  ['The user likes coffee.', 'The user likes tea.'],
  ['The user is allergic to peanuts.', 'The user is not allergic to peanuts.'],
  ['The user is allergic to peanuts.', 'The user is allergic to cats.'],
  ['The user has a dog called Bruno.', 'The user has a dog called Rex.'],
  ['The user has a dog called Bruno.', 'The user has a cat called Bruno.'],
  ['The user has two children.', 'The user has three children.'],
  ['favourite colour: dark green', 'favourite colour: dark blue'],
  ['birthday: 14 March', 'birthday: 15 March'],
  ['age: 42', 'age: 43'],
  ['shoe size: 43', 'shoe size: 42'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is every Thursday at ten.'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is every Tuesday at eleven.'],
  ['The user is married to Ingrid.', 'The user is divorced from Ingrid.'],
  ['The user plans to travel to Japan in April.', 'The user plans to travel to Japan in May.'],
  ['The user prefers Python for scripting.', 'The user prefers Ruby for scripting.'],
  ['The project stores its data in Postgres.', 'The project stores its data in MySQL.'],
  ['The user started the job in 2019.', 'The user left the job in 2019.'],
  ['The user’s brother lives in Oslo.', 'The user’s sister lives in Oslo.'],
  ['The user works as a nurse.', 'The user worked as a nurse.'],
  ['code word 17: zebra17', 'code word 18: zebra18'],
  ['The code word number 17 is zebra17.', 'The code word number 18 is zebra18.'],
  ['The user is 42 years old.', 'The user is 24 years old.'],
  ['The user’s flat is on the third floor.', 'The user’s flat is on the fourth floor.'],
  ['The user goes rowing twice a week.', 'The user goes rowing twice a month.'],
  ['The user takes insulin twice a day.', 'The user takes insulin three times a day.'],
  ['The user gave up smoking in 2019.', 'The user took up smoking in 2019.'],
  ['The user’s rent is 900 euros.', 'The user’s rent is 950 euros.'],
  ['The user loves Anna.', 'Anna loves the user.'],
  ['The user’s mother is called Johanna.', 'The user’s daughter is called Johanna.'],
  ['The user can swim.', 'The user cannot swim.'],
  ['The user always locks the door.', 'The user never locks the door.'],
  ['The server has 16 GB of memory.', 'The server has 64 GB of memory.'],
  ['The deadline is 1 June.', 'The deadline is 1 July.'],
  ['The user wants to buy a house.', 'The user wants to sell a house.'],
  ['The user voted for the proposal.', 'The user voted against the proposal.'],
];

const EN_RELATED: Texts = [
  ['The user has a dog called Bruno.', 'The user walks the dog before breakfast.'],
  ['The user lives in Utrecht.', 'The user’s flat in Utrecht has a balcony.'],
  ['The user works as a nurse.', 'The user works night shifts at the hospital.'],
  ['The user is allergic to peanuts.', 'The user carries an allergy pen.'],
  ['The user is learning Japanese.', 'The user plans to travel to Japan in April.'],
  ['The user plays the trumpet.', 'The user’s band rehearses on Mondays.'],
  ['The user has two children.', 'The user’s son goes to primary school.'],
  ['The user goes rowing twice a week.', 'The user won a rowing race.'],
  ['The user is a vegetarian.', 'The user’s favourite dish is lentil soup.'],
  ['The user drives an old Volvo.', 'The user’s car needs new tyres.'],
  ['The project stores its data in Postgres.', 'The project’s database is backed up every night.'],
  ['The user prefers Python for scripting.', 'The user teaches a Python course.'],
  ['The user is married to Ingrid.', 'Ingrid works as an architect.'],
  ['The user studied chemistry.', 'The user works in a laboratory.'],
  ['The user wants to run a half marathon.', 'The user bought new running shoes.'],
  ['The user’s sister lives in Oslo.', 'The user visits Norway every summer.'],
  ['The user founded a bakery.', 'The user bakes bread at home.'],
  ['The user drinks coffee black.', 'The user bought an espresso machine.'],
  ['The user gets up at half past five.', 'The user goes to bed early.'],
  ['The user takes insulin.', 'The user has diabetes.'],
];

const EN_UNRELATED: Texts = [
  ['What is my favourite colour?', 'The project stores its data in Postgres.'],
  ['Where do I live?', 'The user drinks coffee black, without sugar.'],
  ['What is my dog called?', 'operating system: Debian Linux'],
  ['What do I do for a living?', 'favourite film: Spirited Away'],
  ['Am I allergic to anything?', 'The team meeting is every Tuesday at ten.'],
  ['When is my birthday?', 'editor: Vim'],
  ['Which car do I drive?', 'The user studied chemistry at university.'],
  ['Which programming language do I prefer?', 'The user has a dog called Bruno.'],
  ['What music do I like?', 'shoe size: 43'],
  ['Which trips am I planning?', 'The user is allergic to peanuts.'],
  ['Which languages do I speak?', 'car: an old Volvo estate'],
  ['How do I take my coffee?', 'The user lives in Utrecht.'],
  ['How many children do I have?', 'The user prefers Python for scripting.'],
  ['What is the boiling point of water?', 'The user’s best friend is Tomas.'],
  ['Sort this list of numbers for me', 'The user is married to Ingrid.'],
  ['Write a regular expression that matches dates', 'The user goes rowing twice a week.'],
  ['Why is the build failing on the second step?', 'hobbies: rowing, chess and baking bread'],
  ['Translate this paragraph into French', 'diet: vegetarian'],
  ['How tall is the Eiffel Tower?', 'birthday: 14 March'],
  ['Explain how a hash table works', 'The user spent last summer’s holiday in Portugal.'],
  ['Which medicine do I take?', 'The user’s band rehearses on Mondays.'],
  ['When is my dentist appointment?', 'The server has 64 GB of memory.'],
  ['What is my mother’s name?', 'The user cycles to work every day.'],
  ['What annoys me at work?', 'The user’s cat is afraid of thunder.'],
  ['The user lives in Utrecht.', 'The user listens to jazz.'],
  ['The user has a dog called Bruno.', 'The deadline is 1 June.'],
  ['The user is allergic to peanuts.', 'The user’s brother is a carpenter.'],
  ['The user works as a nurse.', 'favourite colour: dark green'],
  ['The user plans to travel to Japan in April.', 'The user’s rent is 900 euros.'],
  ['The project stores its data in Postgres.', 'The user can swim.'],
  ['The user drinks coffee black.', 'The user voted for the proposal.'],
  ['The user is married to Ingrid.', 'The server has 16 GB of memory.'],
];

const DE_ANSWERS: Texts = [
  ['Wo wohne ich?', 'Der Nutzer wohnt in Leipzig.'],
  ['Wie heißt mein Hund?', 'Name des Hundes: Bruno'],
  ['Was bin ich von Beruf?', 'Der Nutzer arbeitet als Krankenpfleger.'],
  ['Wogegen bin ich allergisch?', 'Der Nutzer ist allergisch gegen Erdnüsse.'],
  ['Wann habe ich Geburtstag?', 'Geburtstag: 14. März'],
  ['Was trinke ich am Morgen?', 'Der Nutzer trinkt morgens schwarzen Kaffee.'],
  ['Welche Musik mag ich?', 'Der Nutzer hört gern Jazz.'],
  ['Wohin will ich reisen?', 'Der Nutzer will im April nach Japan fahren.'],
];
const DE_SAME: Texts = [
  ['Der Nutzer wohnt in Leipzig.', 'Der Nutzer lebt in Leipzig.'],
  ['Der Nutzer isst kein Fleisch.', 'Der Nutzer ist Vegetarier.'],
  ['Der Nutzer fährt mit dem Rad zur Arbeit.', 'Der Nutzer kommt mit dem Fahrrad zur Arbeit.'],
  ['Ingrid ist die Frau des Nutzers.', 'Der Nutzer ist mit Ingrid verheiratet.'],
];
const DE_DIFFERENT: Texts = [
  ['Der Nutzer wohnt in Leipzig.', 'Der Nutzer wohnt in Dresden.'],
  ['Der Nutzer trinkt Kaffee.', 'Der Nutzer trinkt keinen Kaffee.'],
  ['Der Nutzer hat zwei Kinder.', 'Der Nutzer hat drei Kinder.'],
  ['Geburtstag: 14. März', 'Geburtstag: 15. März'],
  ['Der Hund heißt Bruno.', 'Der Hund heißt Rex.'],
];
const DE_RELATED: Texts = [
  ['Der Nutzer hat einen Hund.', 'Der Nutzer geht vor dem Frühstück mit dem Hund hinaus.'],
  ['Der Nutzer arbeitet als Krankenpfleger.', 'Der Nutzer hat oft Nachtdienst.'],
];
const DE_UNRELATED: Texts = [
  ['Wo wohne ich?', 'Der Nutzer hört gern Jazz.'],
  ['Wie heißt mein Hund?', 'Der Nutzer will im April nach Japan fahren.'],
  ['Wann habe ich Geburtstag?', 'Betriebssystem: Debian Linux'],
  ['Erkläre mir, wie eine Hashtabelle funktioniert', 'Der Nutzer ist Vegetarier.'],
];

const ZH_ANSWERS: Texts = [
  ['我住在哪里？', '用户住在杭州。'],
  ['我的狗叫什么名字？', '用户的狗叫小黑。'],
  ['我的职业是什么？', '用户是一名护士。'],
  ['我对什么过敏？', '用户对花生过敏。'],
  ['我的生日是哪一天？', '生日：3月14日'],
  ['我早上喝什么？', '用户早上喝黑咖啡。'],
  ['我喜欢什么音乐？', '用户喜欢听爵士乐。'],
  ['我打算去哪里旅行？', '用户打算四月去日本旅行。'],
];
const ZH_SAME: Texts = [
  ['用户住在杭州。', '用户家在杭州。'],
  ['用户不吃肉。', '用户是素食者。'],
  ['用户骑自行车上班。', '用户每天骑车去上班。'],
  ['用户的妻子叫小美。', '小美是用户的妻子。'],
];
const ZH_DIFFERENT: Texts = [
  ['用户住在杭州。', '用户住在苏州。'],
  ['用户喜欢咖啡。', '用户不喜欢咖啡。'],
  ['用户有两个孩子。', '用户有三个孩子。'],
  ['生日：3月14日', '生日：3月15日'],
  ['用户的狗叫小黑。', '用户的狗叫小白。'],
];
const ZH_RELATED: Texts = [
  ['用户养了一条狗。', '用户每天早饭前遛狗。'],
  ['用户是一名护士。', '用户经常上夜班。'],
];
const ZH_UNRELATED: Texts = [
  ['我住在哪里？', '用户喜欢听爵士乐。'],
  ['我的狗叫什么名字？', '用户打算四月去日本旅行。'],
  ['我的生日是哪一天？', '操作系统：Debian Linux'],
  ['解释一下哈希表的原理', '用户是素食者。'],
];

function pairsOf(language: Language, kind: PairKind, texts: Texts): CalibrationPair[] {
  return texts.map((pair) => ({ kind, language, texts: pair }));
}

/** The labelled pairs that thresholds are measured on. */
export const CALIBRATION_PAIRS: readonly CalibrationPair[] = [
  ...pairsOf('en', 'answers', EN_ANSWERS),
  ...pairsOf('en', 'same', EN_SAME),
  ...pairsOf('en', 'different', EN_DIFFERENT),
  ...pairsOf('en', 'related', EN_RELATED),
  ...pairsOf('en', 'unrelated', EN_UNRELATED),
  ...pairsOf('de', 'answers', DE_ANSWERS),
  ...pairsOf('de', 'same', DE_SAME),
  ...pairsOf('de', 'different', DE_DIFFERENT),
  ...pairsOf('de', 'related', DE_RELATED),
  ...pairsOf('de', 'unrelated', DE_UNRELATED),
  ...pairsOf('zh', 'answers', ZH_ANSWERS),
  ...pairsOf('zh', 'same', ZH_SAME),
  ...pairsOf('zh', 'different', ZH_DIFFERENT),
  ...pairsOf('zh', 'related', ZH_RELATED),
  ...pairsOf('zh', 'unrelated', ZH_UNRELATED),
];
